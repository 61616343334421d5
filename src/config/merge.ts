import { isPlainObject } from '../values/plain-object.js';
import type { ConfigOverrides, DeepPartial } from './paths.js';

export const isRecord: (value: unknown) => value is Readonly<Record<string, unknown>> = isPlainObject;

/** `over` laid on `base`, record by record; lists and other values are replaced as a whole. Undefined replaces nothing. */
export function deepMerge(base: unknown, over: unknown): unknown {
  if (over === undefined) return base;
  if (!isRecord(base) || !isRecord(over)) return over;
  const merged: Record<string, unknown> = { ...base };
  for (const [key, value] of Object.entries(over))
    if (key !== '__proto__') merged[key] = deepMerge(Object.hasOwn(base, key) ? base[key] : undefined, value);
  return merged;
}

/** A whole value with parts laid over it, one after the other: it keeps its type. */
export const overlay = <T>(base: T, parts: readonly DeepPartial<T>[]): T =>
  parts.reduce<unknown>(deepMerge, base) as T;

/** `{ a: { b: value } }` of the dotted path `a.b`: a part of `Config`, since the row that the path is of does not compile otherwise. */
export const nest = (path: string, value: unknown): ConfigOverrides =>
  path.split('.').reduceRight<unknown>((inner, key) => ({ [key]: inner }), value) as ConfigOverrides;

/** Parts of a configuration as one. */
export const joined = (parts: readonly ConfigOverrides[]): ConfigOverrides =>
  parts.reduce<unknown>(deepMerge, {}) as ConfigOverrides;
