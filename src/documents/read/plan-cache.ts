/** The least recently used entries fall out. */
export interface Cache<T> {
  get(key: string): T | undefined;
  set(key: string, value: T): void;
}

/** Longer keys are not worth their memory. */
const LONGEST_KEY = 8192;

export function newCache<T>(most: number): Cache<T> {
  const entries = new Map<string, T>();
  return {
    get(key) {
      const value = entries.get(key);
      if (value === undefined) return undefined;
      entries.delete(key);
      entries.set(key, value);
      return value;
    },
    set(key, value) {
      if (most <= 0 || key.length > LONGEST_KEY) return;
      entries.delete(key);
      entries.set(key, value);
      const oldest = entries.keys().next();
      if (entries.size > most && !oldest.done) entries.delete(oldest.value);
    },
  };
}

/**
 * The text that names a query: query strings name themselves, parameters are named by their JSON. Null where two different ones
 * could have the same JSON.
 */
export function queryKey(query: string | Readonly<Record<string, unknown>>): string | null {
  if (typeof query === 'string') return query;
  return isJson(query) ? JSON.stringify(query) : null;
}

function isJson(value: unknown): boolean {
  if (typeof value !== 'object' || value === null)
    return value === undefined || value === null || ['string', 'number', 'boolean'].includes(typeof value);
  if (Array.isArray(value)) return value.every(isJson);
  const prototype: unknown = Object.getPrototypeOf(value);
  return (prototype === Object.prototype || prototype === null) && Object.values(value).every(isJson);
}
