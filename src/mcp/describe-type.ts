/** Describes a content type as its caller may use it, based on the API's contract. */
import { referredName } from '../describe/contract/json-schema.js';
import type { JsonSchema, Operation, Schemas } from '../describe/contract/types.js';
import { typeNames } from '../describe/names.js';
import { sortKeys } from '../describe/openapi/sort-keys.js';
import type { Schema } from '../schema/types.js';
import { isObject } from '../values/plain-object.js';
import type { KnownType, TypeView } from './catalogue.js';

/** The parts of a description. */
export const DESCRIPTION_PARTS = ['answer', 'create', 'update', 'query'] as const;
export type DescriptionPart = (typeof DESCRIPTION_PARTS)[number];

/** The default parts: the schemas of queries are long and, given the operators, mostly predictable. */
export const USUAL: readonly DescriptionPart[] = ['answer', 'create', 'update'];

const JSON_TYPE = 'application/json';

/** The schema under `data` of a response or request body. */
const dataIn = (content: Schemas | undefined): JsonSchema | undefined => {
  const properties = content?.[JSON_TYPE]?.['properties'];
  const data = isObject(properties) ? properties['data'] : undefined;
  return isObject(data) ? data : undefined;
};

const queryOf = ({ parameters }: Operation): Schemas =>
  Object.fromEntries(
    parameters
      .filter((one) => one.in === 'query')
      .map(({ name, description, schema }) => [name, description ? { description, ...schema } : schema]),
  );

const PARTS_OF: Readonly<Record<DescriptionPart, (known: KnownType) => unknown>> = {
  answer: ({ operations }) => {
    const read = operations.get('findOne') ?? operations.get('update') ?? operations.get('create');
    if (read) return dataIn(Object.values(read.answers)[0]?.content);
    const list = dataIn(operations.get('find')?.answers[200]?.content);
    return list?.['items'] ?? list;
  },
  create: ({ operations }) => dataIn(operations.get('create')?.body?.content),
  update: ({ operations }) => dataIn(operations.get('update')?.body?.content),
  query: ({ operations }) => {
    const read = operations.get('find') ?? operations.get('findOne');
    return read && queryOf(read);
  },
};

/** The suffixes of the schemas that describe a type. */
const SUFFIXES = [
  '',
  'Related',
  'Filters',
  'Sort',
  'SortKey',
  'SortObject',
  'Fields',
  'Populate',
  'PopulateObject',
  'PopulateOptions',
];

/** Names of schemas that are described with another type, with its uid. */
const ofOthers = (schema: Schema, view: TypeView, uid: string): ReadonlyMap<string, string> => {
  const names = typeNames(schema);
  return new Map(
    [...view.types.keys()]
      .filter((other) => other !== uid)
      .flatMap((other) => SUFFIXES.map((suffix) => [`${names.get(other)}${suffix}`, other] as const)),
  );
};

function* refsIn(value: unknown): Generator<string> {
  if (Array.isArray(value)) for (const item of value) yield* refsIn(item);
  else if (isObject(value))
    for (const [key, item] of Object.entries(value)) {
      const name = key === '$ref' ? referredName(item) : undefined;
      if (name === undefined) yield* refsIn(item);
      else yield name;
    }
}

/** The schemas that `parts` refer to, directly or indirectly, without those of other content types. */
function closure(parts: unknown, schemas: Schemas, others: ReadonlyMap<string, string>) {
  const reached: Record<string, JsonSchema> = {};
  const elsewhere: Record<string, string> = {};
  const todo = [...refsIn(parts)];
  for (let name = todo.pop(); name !== undefined; name = todo.pop()) {
    const schema = schemas[name];
    const other = others.get(name);
    if (other !== undefined) elsewhere[name] = other;
    else if (schema && !Object.hasOwn(reached, name)) {
      reached[name] = schema;
      todo.push(...refsIn(schema));
    }
  }
  return { reached, elsewhere };
}

export function describeType(
  known: KnownType,
  parts: readonly DescriptionPart[],
  {
    view,
    schema,
    tools,
  }: { readonly view: TypeView; readonly schema: Schema; readonly tools: readonly string[] },
): object {
  const { type } = known;
  const described = Object.fromEntries(
    parts.flatMap((part) => {
      const value = PARTS_OF[part](known);
      return value === undefined ? [] : [[part, value]];
    }),
  );
  const { reached, elsewhere } = closure(described, view.contract.schemas, ofOthers(schema, view, type.uid));
  return {
    ...summaryOf(known, tools),
    ...described,
    // So that every `$ref` can be resolved, except those to other types.
    components: { schemas: sortKeys(reached) },
    ...(Object.keys(elsewhere).length > 0 && { otherTypes: elsewhere }),
  };
}

/** The entry of a type in a list of types. */
export const summaryOf = ({ type }: KnownType, tools: readonly string[]): object => {
  const { description } = type.declared.info;
  return {
    type: type.uid,
    name: type.displayName,
    ...(typeof description === 'string' && description !== '' && { description }),
    kind: type.kind,
    draftAndPublish: type.draftAndPublish,
    localized: type.localized,
    tools,
  };
};
