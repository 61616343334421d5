import { LRUCache } from 'lru-cache';

/** Limit of the known totals, in characters of their keys. */
const MAX_KNOWN = 4_000_000;

/** How totals of lists are counted (store/reads/totals.ts). */
export interface Totals {
  /** Time limit of a count beside a page, in milliseconds. */
  readonly maxTimeMS: number;
  /**
   * Milliseconds for which a total may be reused by later requests with the same filter; 0: each request
   * counts.
   */
  readonly maxAgeMS: number;
  readonly known: LRUCache<string, KnownTotal>;
}

interface KnownTotal {
  readonly count: number;
  readonly at: number;
}

export const newTotals = (settings: Pick<Totals, 'maxTimeMS' | 'maxAgeMS'>): Totals => ({
  ...settings,
  known: new LRUCache({ maxSize: MAX_KNOWN, sizeCalculation: (_, key) => key.length + 100 }),
});
