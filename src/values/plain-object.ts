/** An object whose values have not been validated, such as a body, a query or the content of a file. */
import { asText } from './as-text.js';
export type PlainObject = Readonly<Record<string, unknown>>;

/** Whether `value` is an object as JSON has them: not a list, date, BSON value or other class instance. */
export function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  // Objects of another realm (a test runner, a vm) have a different Object.prototype.
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

/** Whether `value` is an object of any class, but not a list. */
export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The object at a path of keys; an empty object if there is none. */
export const objectAt = (value: unknown, ...path: readonly string[]): PlainObject =>
  path.reduce<PlainObject>((at, key) => (isObject(at[key]) ? at[key] : {}), isObject(value) ? value : {});

/** A copy in which every value that is neither a list nor a plain object is mapped. */
export function mapLeaves(value: unknown, map: (leaf: unknown) => unknown): unknown {
  if (Array.isArray(value)) return value.map((member) => mapLeaves(member, map));
  if (!isPlainObject(value)) return map(value);
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, mapLeaves(inner, map)]));
}

/** Maps an object, or each object of a list; other values stay the same. */
export function mapObjects(value: unknown, map: (object: Record<string, unknown>) => unknown): unknown {
  const one = (item: unknown): unknown => (isObject(item) ? map(item) : item);
  return Array.isArray(value) ? value.map(one) : one(value);
}

/** The objects in a list; an empty list if `value` is not a list. */
export const objectsIn = (value: unknown): readonly PlainObject[] =>
  Array.isArray(value) ? value.filter(isObject) : [];

/** A copy whose lists and objects may be changed; class instances, such as BSON values, are shared. */
export const copyOf = <T>(value: T): T => mapLeaves(value, (leaf) => leaf) as T;

/** The value if it is a string, otherwise null. */
export const textOf = (value: unknown): string | null => (typeof value === 'string' ? value : null);

/** Whether a value is a list of strings. */
export const isTexts = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((item) => typeof item === 'string');

/** The value as a number, also if it is a numeric string; otherwise null. */
export const numberOf = (value: unknown): number | null => {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : null;
};

/** The numeric id of an entry, as in paths and bodies; null for anything else. */
export const numericId = (value: unknown): number | null =>
  /^\d{1,15}$/.test(asText(value)) ? Number(value) : null;
