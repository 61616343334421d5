import type { Document } from 'bson';
import { makeRegex } from '../values/regex.js';
import { bsonTypeOf, isDocument } from '../values/types.js';
import { compileJsonSchema } from './json-schema.js';

/** Says why a value does not satisfy a keyword; `specifiedAs` and the operator's name are added by the caller. */
type Explain = (value: unknown, operand: unknown, schema: Document) => Document;

const holds = (schema: Document, value: unknown): boolean => compileJsonSchema(schema)(value as Document);

const reason =
  (text: string): Explain =>
  (value) => ({ reason: text, consideredValue: value });

const wrongType: Explain = (value) => ({
  reason: 'type did not match',
  consideredValue: value,
  consideredType: bsonTypeOf(value),
});

/** The sub-schemas of a list that a value fails. */
const unsatisfied = (schemas: readonly Document[], value: unknown): Document[] =>
  schemas
    .map((schema, index) => ({ index, details: schemaFailures(schema, value) }))
    .filter((_, i) => !holds(schemas[i] as Document, value));

const childrenOf = (_: unknown, operand: unknown): readonly Document[] => operand as Document[];

const allOf: Explain = (value, operand) => ({
  schemasNotSatisfied: unsatisfied(childrenOf(value, operand), value),
});

const oneOf: Explain = (value, operand) => {
  const schemas = operand as Document[];
  const matching = schemas.flatMap((schema, i) => (holds(schema, value) ? [i] : []));
  return matching.length > 1
    ? { reason: 'more than one subschema matched', matchingSchemaIndexes: matching }
    : { schemasNotSatisfied: unsatisfied(schemas, value) };
};

function describe(schema: Document): Document {
  const { title, description } = schema;
  return { ...(title === undefined ? {} : { title }), ...(description === undefined ? {} : { description }) };
}

const properties: Explain = (value, operand) => ({
  propertiesNotSatisfied: Object.entries(operand as Document)
    .filter(
      ([name, schema]) => Object.hasOwn(value as Document, name) && !holds(schema, (value as Document)[name]),
    )
    .map(([propertyName, schema]) => ({
      propertyName,
      ...describe(schema),
      details: schemaFailures(schema, (value as Document)[propertyName]),
    })),
});

const patternProperties: Explain = (value, operand) => ({
  details: Object.entries(operand as Document).flatMap(([regexMatched, schema]) =>
    Object.entries(value as Document)
      .filter(([name, item]) => makeRegex(regexMatched).test(name) && !holds(schema, item))
      .map(([propertyName, item]) => ({ propertyName, regexMatched, details: schemaFailures(schema, item) })),
  ),
});

const additionalProperties: Explain = (value, operand, schema) => {
  const known = new Set(Object.keys(schema['properties'] ?? {}));
  const patterns = Object.keys(schema['patternProperties'] ?? {}).map((pattern) => makeRegex(pattern));
  const others = Object.keys(value as Document).filter(
    (name) => !known.has(name) && !patterns.some((pattern) => pattern.test(name)),
  );
  if (!isDocument(operand)) return { additionalProperties: others };
  const failing = others.find((name) => !holds(operand, (value as Document)[name])) as string;
  return {
    reason: 'at least one additional property did not match the subschema',
    failingProperty: failing,
    details: schemaFailures(operand, (value as Document)[failing]),
  };
};

const missingOf = (value: unknown, names: readonly string[]): string[] =>
  names.filter((name) => !Object.hasOwn(value as Document, name));

const dependencies: Explain = (value, operand) => ({
  failingDependencies: Object.entries(operand as Document)
    .filter(([name]) => Object.hasOwn(value as Document, name))
    .flatMap(([conditionalProperty, rule]): Document[] => {
      if (Array.isArray(rule)) {
        const missingProperties = missingOf(value, rule);
        return missingProperties.length === 0 ? [] : [{ conditionalProperty, missingProperties }];
      }
      return holds(rule, value) ? [] : [{ conditionalProperty, details: schemaFailures(rule, value) }];
    }),
});

function firstFailing(items: readonly unknown[], schemaAt: (i: number) => unknown, text: string): Document {
  const itemIndex = items.findIndex((item, i) => {
    const schema = schemaAt(i);
    return isDocument(schema) && !holds(schema, item);
  });
  return {
    reason: text,
    itemIndex,
    details: schemaFailures(schemaAt(itemIndex) as Document, items[itemIndex]),
  };
}

const items: Explain = (value, operand) =>
  firstFailing(
    value as unknown[],
    (i) => (Array.isArray(operand) ? operand[i] : operand),
    'At least one item did not match the sub-schema',
  );

const additionalItems: Explain = (value, operand, schema) => {
  const from = (schema['items'] as unknown[]).length;
  if (!isDocument(operand)) {
    return { reason: 'found additional items', additionalItems: (value as unknown[]).slice(from) };
  }
  return firstFailing(
    value as unknown[],
    (i) => (i < from ? undefined : operand),
    'At least one additional item did not match the sub-schema',
  );
};

const uniqueItems: Explain = (value) => {
  const items = value as unknown[];
  const duplicatedValue = items.find((_, i) => !holds({ uniqueItems: true }, items.slice(0, i + 1)));
  return { reason: 'found a duplicate item', consideredValue: value, duplicatedValue };
};

const countOfProperties: Explain = (value) => ({
  reason: 'specified number of properties was not satisfied',
  numberOfProperties: Object.keys(value as Document).length,
});

/** Keywords whose operand is repeated in `specifiedAs`, and those whose parts are reported themselves. */
interface Rule {
  readonly explain: Explain;
  /** Keys of the schema that belong to the keyword and affect its result. */
  readonly beside?: readonly string[];
  /** The parts say what was specified. */
  readonly isNested?: true;
}

const compared = reason('comparison failed');
const lengths = reason('specified string length was not satisfied');
const arrayLength = reason('array did not match specified length');

/** The keywords in the order in which MongoDB reports them. */
const RULES: Readonly<Record<string, Rule>> = {
  maximum: { explain: compared, beside: ['exclusiveMaximum'] },
  minimum: { explain: compared, beside: ['exclusiveMinimum'] },
  maxLength: { explain: lengths },
  minLength: { explain: lengths },
  pattern: { explain: reason('regular expression did not match') },
  multipleOf: { explain: reason('considered value is not a multiple of the specified value') },
  maxItems: { explain: arrayLength },
  minItems: { explain: arrayLength },
  uniqueItems: { explain: uniqueItems },
  items: { explain: items, isNested: true },
  additionalItems: { explain: additionalItems, beside: ['items'] },
  properties: { explain: properties, isNested: true },
  patternProperties: { explain: patternProperties, isNested: true },
  additionalProperties: { explain: additionalProperties, beside: ['properties', 'patternProperties'] },
  required: { explain: (value, names) => ({ missingProperties: missingOf(value, names as string[]) }) },
  minProperties: { explain: countOfProperties },
  maxProperties: { explain: countOfProperties },
  dependencies: { explain: dependencies, isNested: true },
  allOf: { explain: allOf, isNested: true },
  anyOf: { explain: allOf, isNested: true },
  oneOf: { explain: oneOf, isNested: true },
  not: { explain: () => ({ reason: 'child expression matched' }), isNested: true },
  enum: { explain: reason('value was not found in enum') },
  type: { explain: wrongType },
  bsonType: { explain: wrongType },
};

/** Only these modify `minimum` and `maximum`; everything else next to a keyword has its own entry. */
const SHOWN_BESIDE = new Set(['exclusiveMaximum', 'exclusiveMinimum']);

const pick = (schema: Document, names: readonly string[]): Document =>
  Object.fromEntries(names.filter((name) => schema[name] !== undefined).map((name) => [name, schema[name]]));

/** The rules of a schema that a value does not satisfy, for `errInfo.details.schemaRulesNotSatisfied`. */
export function schemaFailures(schema: Document, value: unknown): Document[] {
  return Object.entries(RULES).flatMap(([name, { explain, beside = [], isNested }]): Document[] => {
    const operand = schema[name];
    if (operand === undefined) return [];
    const others = pick(schema, beside);
    const shown = beside.some((member) => SHOWN_BESIDE.has(member)) ? others : {};
    if (holdsAlone(name, operand, others, value)) return [];
    const explained = explain(value, operand, schema);
    const showsItself = isNested === true || ('details' in explained && isDocument(operand));
    return [
      {
        operatorName: name,
        ...(showsItself ? {} : { specifiedAs: { [name]: operand, ...shown } }),
        ...explained,
      },
    ];
  });
}

/** Whether a value satisfies one keyword; the keys next to it only affect its meaning. */
function holdsAlone(name: string, operand: unknown, others: Document, value: unknown): boolean {
  const loose = Object.fromEntries(Object.entries(others).map(([other, of]) => [other, looseOf(other, of)]));
  return holds({ ...loose, [name]: operand }, value);
}

/** The same names or positions without requirements. */
function looseOf(name: string, operand: unknown): unknown {
  if (name === 'items' && Array.isArray(operand)) return operand.map(() => ({}));
  if (isDocument(operand)) return Object.fromEntries(Object.keys(operand).map((key) => [key, {}]));
  return operand;
}
