import { LRUCache } from 'lru-cache';
import { isPlainObject } from '../../values/plain-object.js';

/** Longer keys are not cached. */
const LONGEST_KEY = 8192;

/** The options of a cache that is limited by the memory of its keys: its values are small. */
export const ofTexts = (maxBytes: number) => ({
  maxSize: maxBytes,
  sizeCalculation: (_: unknown, key: string): number => 2 * key.length + 100,
});

/**
 * A cache limited by memory, which evicts the least recently used values. `sizeOf` estimates a value in
 * bytes.
 */
export const newCache = <T extends object>(maxBytes: number, sizeOf: (value: T, key: string) => number) => {
  const cache = new LRUCache<string, T>({
    maxSize: maxBytes,
    // A value that would evict many others is not cached.
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

/**
 * Estimated bytes of plain data, by the number of its objects and members. Does not look into class
 * instances.
 */
export function plainBytes(value: unknown): number {
  if (typeof value === 'string') return 2 * value.length + 16;
  if (typeof value !== 'object' || value === null) return 8;
  const members = Array.isArray(value) ? value : isPlainObject(value) ? Object.values(value) : [];
  let bytes = 64;
  for (const member of members) bytes += 16 + plainBytes(member);
  return bytes;
}
