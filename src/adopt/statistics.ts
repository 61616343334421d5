/**
 * What the sampled documents contain at each path. The size is limited for any documents: in fields per
 * object, and distinct values per field.
 */

import type { DBRef } from 'bson';
import { keyText } from '../values/json-form.js';
import { memberOf } from '../values/once-per.js';
import { type Kind, kindOf, NUMBERS } from './kinds.js';

/** Formats that all strings of a field may have. */
type Form = 'email' | 'date' | 'objectId' | 'hash' | 'slug';

const FORMS: ReadonlyMap<Form, RegExp> = new Map([
  ['email', /^[^\s@]{1,64}@[^\s@]+\.[^\s@]{2,}$/],
  ['date', /^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])$/],
  ['objectId', /^[0-9a-f]{24}$/i],
  // Password hashes: bcrypt, argon2, scrypt, PBKDF2, crypt.
  ['hash', /^(\$2[abxy]?\$|\$argon2|\$scrypt|\$pbkdf2|\$[156]\$|\{SSHA\}|pbkdf2[:_$])/],
  ['slug', /^[a-z0-9]+([-_.~][a-z0-9]+)*$/],
]);

/**
 * Limits: fields of one object, distinct values of one field, values kept for searching other collections.
 */
const MAX_FIELDS = 500;
const MAX_VALUES = 20_000;
const MAX_PROBES = 200;

/** One path of a collection, or the items of a list. */
export interface PathValues {
  /** Number of values, including null and the items of lists. */
  count: number;
  readonly kinds: Map<Kind, number>;
  readonly numbers: { integers: boolean; unsafe: boolean };
  readonly strings: { longest: number; forms: Set<Form> | null };
  /** How often each scalar occurs, by its text; null if there are too many. */
  distinct: Map<string, number> | null;
  /** Some distinct scalars in their stored form. */
  readonly probes: Map<string, unknown>;
  /** For documents. */
  fields: Map<string, PathValues> | null;
  /** Whether there were more fields than the limit. */
  manyFields: boolean;
  /** Number of fields whose names look like values. */
  likeKeys: number;
  /** For lists. */
  items: PathValues | null;
  /** For DBRefs: their `$id`s, by the collection in `$ref`. */
  refs: Map<string, PathValues> | null;
}

export const newValues = (): PathValues => ({
  count: 0,
  kinds: new Map(),
  numbers: { integers: true, unsafe: false },
  strings: { longest: 0, forms: null },
  distinct: new Map(),
  probes: new Map(),
  fields: null,
  manyFields: false,
  likeKeys: 0,
  items: null,
  refs: null,
});

/** Adds one value to the statistics of its path. */
export function addValue(values: PathValues, value: unknown): void {
  const kind = kindOf(value);
  values.count += 1;
  values.kinds.set(kind, (values.kinds.get(kind) ?? 0) + 1);
  if (kind === 'object') addFields(values, value as Readonly<Record<string, unknown>>);
  else if (kind === 'array') addItems(values, value as readonly unknown[]);
  else if (kind === 'dbRef') addReference(values, value as DBRef);
  else if (kind !== 'null' && kind !== 'other') addScalar(values, value, kind);
}

function addFields(values: PathValues, document: Readonly<Record<string, unknown>>): void {
  values.fields ??= new Map();
  for (const [name, value] of Object.entries(document)) {
    let field = values.fields.get(name);
    if (!field && values.fields.size >= MAX_FIELDS) {
      values.manyFields = true;
      continue;
    }
    if (!field) {
      field = newValues();
      values.fields.set(name, field);
      if (isLikeKey(name)) values.likeKeys += 1;
    }
    addValue(field, value);
  }
}

function addReference(values: PathValues, { collection, oid }: DBRef): void {
  values.refs ??= new Map();
  addValue(memberOf(values.refs, collection, newValues), oid);
}

function addItems(values: PathValues, items: readonly unknown[]): void {
  values.items ??= newValues();
  for (const item of items) addValue(values.items, item);
}

function addScalar(values: PathValues, value: unknown, kind: Kind): void {
  const text = keyText(value);
  if (values.distinct) {
    values.distinct.set(text, (values.distinct.get(text) ?? 0) + 1);
    if (values.distinct.size > MAX_VALUES) values.distinct = null;
  }
  if (values.probes.size < MAX_PROBES) values.probes.set(text, value);
  if (NUMBERS.has(kind)) addNumber(values, Number(text));
  if (kind === 'string') addText(values, text);
}

function addNumber({ numbers }: PathValues, number: number): void {
  numbers.integers &&= Number.isInteger(number);
  numbers.unsafe ||= Math.abs(number) > Number.MAX_SAFE_INTEGER;
}

function addText({ strings }: PathValues, text: string): void {
  strings.longest = Math.max(strings.longest, text.length);
  strings.forms ??= new Set(FORMS.keys());
  for (const form of strings.forms) if (!FORMS.get(form)?.test(text)) strings.forms.delete(form);
}

/** The kinds of the values, apart from null. */
export const kindsOf = ({ kinds }: PathValues): readonly Kind[] =>
  [...kinds.keys()].filter((kind) => kind !== 'null');

/** The number of values that are not null. */
const given = ({ count, kinds }: PathValues): number => count - (kinds.get('null') ?? 0);

/** Share of the values that may occur again in a field that identifies documents nevertheless. */
const REPEATED = 0.01;

/** Share of the documents that have a field which identifies them. */
const IDENTIFIED = 0.9;

/**
 * How many values of a field occur again; null if that is unknown, or more than an exception, or if the field is
 * missing from too many of the documents to identify them.
 */
export function repeatedIn(values: PathValues, documents: number, whole: boolean): number | null {
  const { distinct } = values;
  if (!whole || distinct === null || distinct.size < 2) return null;
  if (given(values) < documents * IDENTIFIED) return null;
  const repeated = given(values) - distinct.size;
  return repeated <= given(values) * REPEATED ? repeated : null;
}

/** Share of the values from which one kind is the field's, and the others are exceptions. */
const USUAL = 0.99;

/** The values of the kind that almost all have; the same if there is no such kind, or no other. */
export function usualValues(values: PathValues): PathValues {
  if (kindsOf(values).length < 2) return values;
  const usual = kindsOf(values).find((kind) => (values.kinds.get(kind) ?? 0) >= given(values) * USUAL);
  if (usual === undefined) return values;
  const kinds = new Map([...values.kinds].filter(([kind]) => kind === usual || kind === 'null'));
  return { ...values, kinds, distinct: null };
}

/** How far from a number others are looked for, in both directions. */
const NEAR = 8;

/**
 * The probability that the numbers, if they were others of about the same size, would all be among these values. Where
 * the numbers are round, only round ones are of the same kind.
 */
export function chanceOf(numbers: readonly number[], { distinct }: PathValues): number {
  if (distinct === null) return 1;
  let unit = 1;
  while (unit < 1e9 && numbers.every((number) => number % (unit * 10) === 0)) unit *= 10;
  const steps = Array.from({ length: NEAR }, (_, at) => (at + 1) * unit);
  const shares = numbers
    .filter((number) => distinct.has(String(number)))
    .map((number) => {
      const near = steps.flatMap((step) => [number - step, number + step]);
      return (near.filter((each) => distinct.has(String(each))).length + 1) / (near.length + 1);
    });
  return shares.reduce((product, share) => product * share, 1);
}

/** Whether the values are ObjectIds, possibly some as strings. */
export const areIds = (values: PathValues): boolean =>
  (values.strings.forms === null || values.strings.forms.has('objectId')) &&
  kindsOf(values).every((kind) => kind === 'objectId' || kind === 'string');

/** For example `string 93 %, number 7 %`. */
export function distribution({ kinds, count }: PathValues): string {
  return [...kinds]
    .sort(([, a], [, b]) => b - a)
    .map(([kind, times]) => `${kind} ${percent(times / count)}`)
    .join(', ');
}

const percent = (share: number): string => (share < 0.01 ? '<1 %' : `${Math.round(share * 100)} %`);

/** Field names that are values: ids, numbers, dates, addresses. */
const LIKE_KEY =
  /^(\d+|[0-9a-f]{24}|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|\d{4}-\d\d(-\d\d)?|.*[@/:].*)$/i;

const isLikeKey = (name: string): boolean => LIKE_KEY.test(name);

/** A document with more fields than this has fixed fields only if most documents have most of them. */
const FEW = 20;

/**
 * Whether the field names of an object are data: there are many that each occur in few documents, or they
 * look like values.
 */
export function isDictionary({ fields, manyFields, likeKeys, kinds }: PathValues): boolean {
  if (!fields || fields.size === 0) return false;
  if (manyFields || likeKeys > fields.size / 2) return true;
  if (fields.size <= FEW) return false;
  const documents = kinds.get('object') ?? 0;
  const present = [...fields.values()].reduce((sum, { count }) => sum + count, 0);
  return present / fields.size < documents / 5;
}
