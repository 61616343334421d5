/** A value with named members: not a list, a date or an instance of a class. */
export const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' &&
  value !== null &&
  [Object.prototype, null].includes(Object.getPrototypeOf(value));

/** `over` laid on `base`, record by record; lists and other values are replaced as a whole. Undefined replaces nothing. */
export function deepMerge(base: unknown, over: unknown): unknown {
  if (over === undefined) return base;
  if (!isRecord(base) || !isRecord(over)) return over;
  const merged: Record<string, unknown> = { ...base };
  for (const [key, value] of Object.entries(over))
    if (key !== '__proto__') merged[key] = deepMerge(Object.hasOwn(base, key) ? base[key] : undefined, value);
  return merged;
}

/** `{ a: { b: value } }` of the dotted path `a.b`. */
export const nest = (path: string, value: unknown): unknown =>
  path.split('.').reduceRight<unknown>((inner, key) => ({ [key]: inner }), value);
