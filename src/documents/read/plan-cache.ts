import { LRUCache } from 'lru-cache';
import { isPlainObject } from '../../values/plain-object.js';

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
  const members = Array.isArray(value) ? value : isPlainObject(value) ? Object.values(value) : [];
  let bytes = 64;
  for (const member of members) bytes += 16 + plainBytes(member);
  return bytes;
}
