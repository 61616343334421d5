import { isPlainObject } from '../values/plain-object.js';

/**
 * Merges `over` into `base`, object by object; lists and other values are replaced. Undefined replaces
 * nothing.
 */
export function deepMerge(base: unknown, over: unknown): unknown {
  if (over === undefined) return base;
  if (!isPlainObject(base) || !isPlainObject(over)) return over;
  const merged: Record<string, unknown> = { ...base };
  for (const [key, value] of Object.entries(over))
    if (key !== '__proto__') merged[key] = deepMerge(Object.hasOwn(base, key) ? base[key] : undefined, value);
  return merged;
}

/** `{ a: { b: value } }` for the dotted path `a.b`. */
export const nest = (path: string, value: unknown): unknown =>
  path.split('.').reduceRight<unknown>((inner, key) => ({ [key]: inner }), value);

/** The value at a dotted path, or undefined. */
export const pick = (value: unknown, path: string): unknown =>
  path
    .split('.')
    .reduce<unknown>((at, key) => (isPlainObject(at) && Object.hasOwn(at, key) ? at[key] : undefined), value);

/** Merges parts of a configuration. */
export const joined = (parts: readonly unknown[]): unknown => parts.reduce(deepMerge, {});
