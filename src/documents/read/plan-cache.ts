import { LRUCache } from 'lru-cache';

/** Longer keys are not worth their memory. */
const LONGEST_KEY = 8192;

/** The least recently used entries fall out; `sizeOf` tells the memory of one, in bytes as good as one can. */
export const newCache = <T extends object>(maxBytes: number, sizeOf: (value: T, key: string) => number) => {
  const cache = new LRUCache<string, T>({
    maxSize: maxBytes,
    // One that would drive many others out is not kept.
    maxEntrySize: Math.ceil(maxBytes / 16),
    sizeCalculation: (value, key) => 2 * key.length + Math.ceil(sizeOf(value, key)) + 100,
  });
  return {
    get: (key: string): T | undefined => cache.get(key),
    set(key: string, value: T): void {
      if (key.length <= LONGEST_KEY) cache.set(key, value);
    },
  };
};

/** Bytes of plain data, by the number of its objects and members. Looks into nothing that is of a class. */
export function plainBytes(value: unknown): number {
  if (typeof value === 'string') return 2 * value.length + 16;
  if (typeof value !== 'object' || value === null) return 8;
  const members = Array.isArray(value) ? value : isPlain(value) ? Object.values(value) : [];
  let bytes = 64;
  for (const member of members) bytes += 16 + plainBytes(member);
  return bytes;
}

const isPlain = (value: object): boolean => [Object.prototype, null].includes(Object.getPrototypeOf(value));

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
  return isPlain(value) && Object.values(value).every(isJson);
}
