/** Compares two OpenAPI documents for changes that break existing clients. */

import { isObject, objectAt } from '../../values/plain-object.js';
import { type MemberPair, sideBySide } from '../../values/side-by-side.js';
import { referredName } from '../contract/json-schema.js';
import type { JsonSchema, Schemas } from '../contract/types.js';
import type { OpenApiDocument } from './document.js';

interface Break {
  /** Such as `POST /api/articles body.data.title`. */
  readonly place: string;
  readonly what: string;
}

/**
 * Who writes a value: what clients send must still be accepted, what they receive must not have new forms.
 */
type Direction = 'sent' | 'received';

interface Comparing {
  readonly before: OpenApiDocument;
  readonly after: OpenApiDocument;
  readonly direction: Direction;
  /** Pairs of named schemas that have been compared. */
  readonly seen: Set<string>;
  readonly report: (place: string, what: string) => void;
}

const METHODS = ['get', 'post', 'put', 'patch', 'delete'];

/** Everything in `after` that may break a client written for `before`. */
export function breaksBetween(before: OpenApiDocument, after: OpenApiDocument): readonly Break[] {
  const found = new Map<string, Break>();
  const report = (place: string, what: string): void => void found.set(`${place} ${what}`, { place, what });
  const seen = new Set<string>();
  const comparing = (direction: Direction): Comparing => ({ before, after, direction, seen, report });
  for (const [path, methods] of Object.entries(objectAt(before, 'paths')))
    for (const method of METHODS.filter((one) => Object.hasOwn(objectAt(methods), one))) {
      const place = `${method.toUpperCase()} ${path}`;
      const now = objectAt(after, 'paths', path)[method];
      if (isObject(now)) compareOperations(place, [objectAt(methods, method), now], comparing);
      else report(place, 'no longer exists');
    }
  return [...found.values()];
}

type Pair = readonly [before: JsonSchema, after: JsonSchema];

/** The objects under one key of both. */
const pairsAt = ([before, after]: Pair, key: string): readonly MemberPair<JsonSchema>[] => {
  const objects = (one: JsonSchema) =>
    Object.fromEntries(Object.entries(objectAt(one, key)).map(([name, value]) => [name, objectAt(value)]));
  return sideBySide(objects(before), objects(after));
};

function compareOperations(
  place: string,
  [before, after]: Pair,
  comparing: (direction: Direction) => Comparing,
): void {
  const sent = comparing('sent');
  const { report } = sent;
  if (before['x-action'] === undefined && after['x-action'] !== undefined)
    report(place, `now requires the grant ${String(after['x-action'])}`);
  compareParameters(place, [before, after], sent);
  const bodies = [before, after].map((one) => objectAt(one, 'requestBody'));
  const [was = {}, is = {}] = bodies;
  if (is['required'] === true && was['required'] !== true) report(place, 'now requires a body');
  compareContent(`${place} body`, [was, is], sent);
  for (const { name: status, before: answer, after: now } of pairsAt([before, after], 'responses'))
    if (answer && /^[23]/.test(status)) {
      if (now) compareContent(`${place} ${status}`, [answer, now], comparing('received'));
      else report(place, `no longer responds with ${status}`);
    }
}

const parametersOf = ({ parameters }: JsonSchema): Schemas => {
  const list = Array.isArray(parameters) ? parameters.filter(isObject) : [];
  return Object.fromEntries(list.map((one) => [`${String(one['in'])} ${String(one['name'])}`, one]));
};

function compareParameters(place: string, [before, after]: Pair, comparing: Comparing): void {
  for (const { name, before: was, after: is } of sideBySide(parametersOf(before), parametersOf(after))) {
    const at = `${place} ${name}`;
    if (was && is) compareSchemas(at, [objectAt(was, 'schema'), objectAt(is, 'schema')], comparing);
    else if (was) comparing.report(at, 'is no longer a parameter');
    if (is?.['required'] === true && was?.['required'] !== true) comparing.report(at, 'is now required');
  }
}

function compareContent(place: string, pair: Pair, comparing: Comparing): void {
  for (const { name: type, before: was, after: is } of pairsAt(pair, 'content'))
    if (was && is) compareSchemas(place, [objectAt(was, 'schema'), objectAt(is, 'schema')], comparing);
    else if (was) comparing.report(place, `is no longer ${type}`);
}

const resolve = (document: OpenApiDocument, schema: JsonSchema): JsonSchema => {
  const name = referredName(schema['$ref']);
  return name === undefined ? schema : objectAt(document, 'components', 'schemas', name);
};

function compareSchemas(place: string, [before, after]: Pair, comparing: Comparing): void {
  const names = [referredName(before['$ref']), referredName(after['$ref'])];
  if (names[0] !== undefined && names[1] !== undefined) {
    const key = `${comparing.direction} ${names.join(' ')}`;
    if (comparing.seen.has(key)) return;
    comparing.seen.add(key);
  }
  const pair: Pair = [resolve(comparing.before, before), resolve(comparing.after, after)];
  if (choicesOf(pair[0]) || choicesOf(pair[1])) {
    compareChoices(place, pair, comparing);
    return;
  }
  compareTypes(place, pair, comparing);
  compareValues(place, pair, comparing);
  if (comparing.direction === 'sent') compareBounds(place, pair, comparing);
  compareMembers(place, pair, comparing);
  if (isObject(pair[0]['items']) && isObject(pair[1]['items']))
    compareSchemas(`${place}[]`, [pair[0]['items'], pair[1]['items']], comparing);
}

const choicesOf = ({ anyOf, oneOf }: JsonSchema): readonly JsonSchema[] | null => {
  const list = anyOf ?? oneOf;
  return Array.isArray(list) ? list.filter(isObject) : null;
};

/** Identifies a choice: by its name, otherwise by its type and content. */
const keyOf = (schema: JsonSchema): string =>
  referredName(schema['$ref']) ??
  JSON.stringify([schema['type'] ?? null, keyOfItems(schema['items']), schema['required'] ?? null]);

const keyOfItems = (items: unknown): unknown =>
  isObject(items) ? (items['$ref'] ?? items['type'] ?? null) : null;

/** Old choices must still be accepted in what is sent; there must be no new choices in what is received. */
function compareChoices(place: string, [before, after]: Pair, comparing: Comparing): void {
  const [was, is] = [before, after].map(
    (one) => new Map((choicesOf(one) ?? [one]).map((choice) => [keyOf(choice), choice])),
  );
  if (!was || !is) return;
  for (const [key, choice] of was) {
    const now = is.get(key);
    if (now) compareSchemas(place, [choice, now], comparing);
    else if (comparing.direction === 'sent') comparing.report(place, `no longer accepts ${nameOf(choice)}`);
  }
  // Readers distinguish the members of a discriminated union, so they recognize new ones.
  if (comparing.direction === 'received' && after['discriminator'] === undefined)
    for (const [key, choice] of is)
      if (!was.has(key)) comparing.report(place, `may now be ${nameOf(choice)}`);
}

const nameOf = (schema: JsonSchema): string =>
  referredName(schema['$ref']) ?? String(schema['type'] ?? 'another value');

const typesOf = ({ type }: JsonSchema): readonly string[] | null =>
  type === undefined ? null : [type].flat().map(String);

const takesType = (types: readonly unknown[], type: unknown): boolean =>
  types.includes(type) || (type === 'integer' && types.includes('number'));

const compareTypes = (place: string, [before, after]: Pair, comparing: Comparing): void =>
  compareSets(place, [typesOf(before), typesOf(after)], comparing, {
    only: (types) => `must now be ${types.join(' or ')}`,
    any: 'may now be anything',
    takes: takesType,
  });

const valuesOf = ({ enum: values }: JsonSchema): readonly unknown[] | null =>
  Array.isArray(values) ? values : null;

const compareValues = (place: string, [before, after]: Pair, comparing: Comparing): void =>
  compareSets(place, [valuesOf(before), valuesOf(after)], comparing, {
    only: (values) => `must now be one of ${values.map(String).join(', ')}`,
    any: 'may now have other values',
    takes: (values, value) => values.includes(value),
  });

/** A set that is sent may not lose a member, one that is received may not gain one; null: unrestricted. */
function compareSets(
  place: string,
  [was, is]: readonly [readonly unknown[] | null, readonly unknown[] | null],
  { direction, report }: Comparing,
  says: {
    readonly only: (members: readonly unknown[]) => string;
    readonly any: string;
    readonly takes: (members: readonly unknown[], one: unknown) => boolean;
  },
): void {
  const [narrow, wide] = direction === 'sent' ? [is, was] : [was, is];
  if (narrow === null) return;
  if (wide === null) report(place, direction === 'sent' ? says.only(narrow) : says.any);
  for (const one of wide?.filter((each) => !says.takes(narrow, each)) ?? [])
    report(place, direction === 'sent' ? `no longer accepts ${String(one)}` : `may now be ${String(one)}`);
}

const LOWER = ['minimum', 'minLength', 'minItems'];
const UPPER = ['maximum', 'maxLength', 'maxItems'];

function compareBounds(place: string, [before, after]: Pair, { report }: Comparing): void {
  const number = (schema: JsonSchema, key: string, none: number): number =>
    typeof schema[key] === 'number' ? schema[key] : none;
  for (const key of LOWER)
    if (number(after, key, Number.NEGATIVE_INFINITY) > number(before, key, Number.NEGATIVE_INFINITY))
      report(place, `${key} is now ${String(after[key])}`);
  for (const key of UPPER)
    if (number(after, key, Number.POSITIVE_INFINITY) < number(before, key, Number.POSITIVE_INFINITY))
      report(place, `${key} is now ${String(after[key])}`);
  // Patterns of parameters list names, which are compared elsewhere.
  if (place.includes(' body') && after['pattern'] !== undefined && after['pattern'] !== before['pattern'])
    report(place, `must now match ${String(after['pattern'])}`);
}

const requiredOf = ({ required }: JsonSchema): readonly string[] =>
  Array.isArray(required) ? required.map(String) : [];

function compareMembers(place: string, [before, after]: Pair, comparing: Comparing): void {
  const { direction, report } = comparing;
  const is = objectAt(after, 'properties');
  for (const { name, before: was, after: now } of pairsAt([before, after], 'properties')) {
    const at = `${place}.${name}`;
    if (!was) continue;
    if (now) compareSchemas(at, [was, now], comparing);
    else if (direction === 'received') report(at, 'no longer exists');
    else if (after['additionalProperties'] === false) report(at, 'is no longer accepted');
  }
  const [old, fresh] = [requiredOf(before), requiredOf(after)];
  if (direction === 'sent')
    for (const name of fresh) if (!old.includes(name)) report(`${place}.${name}`, 'is now required');
  if (direction === 'received')
    for (const name of old)
      if (!fresh.includes(name) && Object.hasOwn(is, name)) report(`${place}.${name}`, 'may now be absent');
}
