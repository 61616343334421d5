/** Lists whose order has no meaning. */
const SETS: ReadonlySet<string> = new Set(['required', 'x-codes']);

/** The same value with the keys of all objects sorted. */
export function sortKeys<T>(value: T, key = ''): T {
  if (Array.isArray(value)) {
    const items: unknown[] = value.map((item) => sortKeys(item));
    return (SETS.has(key) && items.every((item) => typeof item === 'string') ? items.sort() : items) as T;
  }
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  return Object.fromEntries(entries.map(([name, item]) => [name, sortKeys(item, name)])) as T;
}
