import { isPlainObject } from '../values/plain-object.js';

/** `over` laid on `base`, record by record; lists and other values are replaced as a whole. Undefined replaces nothing. */
export function deepMerge(base: unknown, over: unknown): unknown {
  if (over === undefined) return base;
  if (!isPlainObject(base) || !isPlainObject(over)) return over;
  const merged: Record<string, unknown> = { ...base };
  for (const [key, value] of Object.entries(over))
    if (key !== '__proto__') merged[key] = deepMerge(Object.hasOwn(base, key) ? base[key] : undefined, value);
  return merged;
}

/** `{ a: { b: value } }` of the dotted path `a.b`. */
export const nest = (path: string, value: unknown): unknown =>
  path.split('.').reduceRight<unknown>((inner, key) => ({ [key]: inner }), value);

/** The value at a dotted path; undefined where there is none. */
export const pick = (value: unknown, path: string): unknown =>
  path
    .split('.')
    .reduce<unknown>((at, key) => (isPlainObject(at) && Object.hasOwn(at, key) ? at[key] : undefined), value);

/** Parts of a configuration as one. */
export const joined = (parts: readonly unknown[]): unknown => parts.reduce(deepMerge, {});
