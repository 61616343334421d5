/** Whether the values of the request that a rule names fit the attributes that they are for. */
import type { CheckedBody } from '../../documents/validate/check-body.js';
import { schemaAttribute } from '../../query/attributes.js';
import type { CheckedFilter } from '../../query/checked.js';
import { OPERATORS } from '../../query/operators.js';
import { existingType } from '../../schema/find.js';
import type { Attribute, MediaAttribute, RelationAttribute, ScalarType, Schema } from '../../schema/types.js';
import { USER_UID } from '../../schema/uids.js';
import { mapLeaves } from '../../values/plain-object.js';
import { callerName, NOW } from '../rule-terms.js';

/** A problem and its place below the rule, such as `.set.author`. */
export type Problem = readonly [place: string, message: string];

/** Types of one kind are stored and compared as one another. */
type Kind = 'text' | 'number' | 'boolean' | 'day' | 'time' | 'json' | 'blocks';

const KINDS: Readonly<Record<ScalarType, Kind>> = {
  string: 'text',
  text: 'text',
  richtext: 'text',
  email: 'text',
  uid: 'text',
  enumeration: 'text',
  password: 'text',
  integer: 'number',
  biginteger: 'number',
  decimal: 'number',
  float: 'number',
  boolean: 'boolean',
  date: 'day',
  datetime: 'day',
  timestamp: 'day',
  time: 'time',
  json: 'json',
  blocks: 'blocks',
};

/** Texts of accounts that name no entry. */
const NO_REFERENCES: ReadonlySet<string> = new Set(['username', 'email', 'provider', 'role', 'locale']);

/** A value of the request, as a rule writes it. */
interface Named {
  readonly text: string;
  readonly type: ScalarType;
}

/** The type of `$caller.<name>`. */
export function callerType(name: string, schema: Schema): ScalarType {
  const attribute = schemaAttribute(existingType(schema, USER_UID), name);
  return attribute?.kind === 'scalar' ? attribute.type : 'string';
}

const isOfRequest = (value: unknown): value is string => value === NOW || callerName(value) !== null;

function namedIn(value: unknown, schema: Schema): readonly Named[] {
  const found: Named[] = [];
  mapLeaves(value, (leaf) => {
    if (!isOfRequest(leaf)) return;
    const name = callerName(leaf);
    found.push({ text: leaf, type: name === null ? 'datetime' : callerType(name, schema) });
  });
  return found;
}

function canStore(target: ScalarType, { text, type }: Named): boolean {
  const [to, from] = [KINDS[target], KINDS[type]];
  return to === from || to === 'json' || (to === 'text' && text === NOW);
}

/** Texts can be compared with the text of a number or a day. */
function canCompare(target: ScalarType, { type }: Named): boolean {
  const [to, from] = [KINDS[target], KINDS[type]];
  return to === from || (to === 'text' && (from === 'number' || from === 'day'));
}

/** Whether a value can name an entry that an attribute links to. */
function canRefer(attribute: RelationAttribute | MediaAttribute, { text, type }: Named): boolean {
  const name = callerName(text);
  if (name === null || NO_REFERENCES.has(name)) return false;
  if (name === 'id' || name === 'documentId')
    return attribute.kind === 'relation' && (attribute.target ?? USER_UID) === USER_UID;
  return type === 'string' || KINDS[type] === 'number';
}

const printed = ({ text, type }: Named): string => `${text} (${type})`;

/** The problems of one attribute of `set` and what is given for it. */
function storedProblems(attribute: Attribute, value: unknown, place: string, schema: Schema) {
  return namedIn(value, schema).flatMap((named): readonly Problem[] => {
    if (attribute.kind === 'scalar')
      return canStore(attribute.type, named)
        ? []
        : [[place, `${attribute.name} (${attribute.type}) cannot hold ${printed(named)}`]];
    if (attribute.kind !== 'relation' && attribute.kind !== 'media') return [];
    return canRefer(attribute, named)
      ? []
      : [[place, `${attribute.name} is a ${attribute.kind}: ${named.text} names no entry for it`]];
  });
}

/** The problems of the values of the request in a `set`, planned as a body; of others, those that `faults` has. */
export function setProblems({ entries, faults }: CheckedBody, schema: Schema): readonly Problem[] {
  const named = new Set<string>();
  const unfit = entries.flatMap(({ model, path, given }) =>
    [...model.attributes.values()].flatMap((attribute) => {
      const value = given[attribute.name];
      const place = ['.set', ...path, attribute.name].join('.');
      if (isOfRequest(value) && attribute.kind === 'scalar') named.add(place);
      return storedProblems(attribute, value, place, schema);
    }),
  );
  const others = faults.map(({ path, message }): Problem => [['.set', ...path].join('.'), message]);
  return [...unfit, ...others.filter(([place]) => !named.has(place))];
}

/** The problems of the values of the request in a checked `where`. `attribute`: what the node is about. */
export function whereProblems(
  node: CheckedFilter,
  schema: Schema,
  { attribute, place }: { readonly attribute: Attribute | null; readonly place: string } = {
    attribute: null,
    place: '.where',
  },
): readonly Problem[] {
  if (node.kind === 'attribute')
    return whereProblems(node.of, schema, {
      attribute: node.attribute,
      place: `${place}.${node.attribute.name}`,
    });
  if (node.kind !== 'operator')
    return node.of.flatMap((child) => whereProblems(child, schema, { attribute, place }));
  if (!attribute) return [];
  const isFlag = OPERATORS.get(node.operator)?.value === 'flag';
  const target = isFlag ? 'boolean' : attribute.kind === 'scalar' ? attribute.type : 'integer';
  const about =
    attribute.kind === 'scalar' ? `${attribute.name} (${attribute.type})` : `the id of ${attribute.name}`;
  return namedIn(node.value, schema)
    .filter((named) => !canCompare(target, named))
    .map(
      (named): Problem => [
        place,
        isFlag
          ? `${node.operator} takes a boolean, not ${printed(named)}`
          : `${about} cannot be compared with ${printed(named)}`,
      ],
    );
}
