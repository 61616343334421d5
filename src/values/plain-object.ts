/** Keys with values of which nothing is known yet: what a body, a query or a file holds. */
export type PlainObject = Readonly<Record<string, unknown>>;

/** An object as JSON has them: not a list, a date, a BSON value or an instance of another class. */
export function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  // objects of another realm (a test runner, a vm) have an Object.prototype of their own
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

/** Anything with named members: an object of whatever class, and not a list. */
export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** What stands at a path of keys; an empty object where there is no object. */
export const objectAt = (value: unknown, ...path: readonly string[]): PlainObject =>
  path.reduce<PlainObject>((at, key) => (isObject(at[key]) ? at[key] : {}), isObject(value) ? value : {});

/** The same with whatever is neither a list nor a plain object mapped. */
export function mapLeaves(value: unknown, map: (leaf: unknown) => unknown): unknown {
  if (Array.isArray(value)) return value.map((member) => mapLeaves(member, map));
  if (!isPlainObject(value)) return map(value);
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, mapLeaves(inner, map)]));
}

/** An object, or each object of a list, mapped; whatever is none stays. */
export function mapObjects(value: unknown, map: (object: Record<string, unknown>) => unknown): unknown {
  const one = (item: unknown): unknown => (isObject(item) ? map(item) : item);
  return Array.isArray(value) ? value.map(one) : one(value);
}

/** The objects of a list; none where there is no list. */
export const objectsIn = (value: unknown): readonly PlainObject[] =>
  Array.isArray(value) ? value.filter(isObject) : [];

/** A copy whose lists and objects may be changed; instances of classes, as the values of BSON are, stay the same. */
export const copyOf = <T>(value: T): T => mapLeaves(value, (leaf) => leaf) as T;

/** A string; null for anything else. */
export const textOf = (value: unknown): string | null => (typeof value === 'string' ? value : null);

/** A number, also where it is written as text; null for anything else. */
export const numberOf = (value: unknown): number | null => {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : null;
};

/** The numeric id of an entry, as paths and bodies write it; null for anything else. */
export const numericId = (value: unknown): number | null =>
  /^\d{1,15}$/.test(String(value)) ? Number(value) : null;
