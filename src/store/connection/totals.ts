/**
 * Caches counts. A write of this process invalidates the counts of its collections at once; writes by other
 * processes and programs become visible when the cached count expires (docs/decisions/007).
 */
import { LRUCache } from 'lru-cache';
import { isOn } from '../../limits/mechanisms.js';
import { type Moves, newMoves } from './moves.js';

interface KeptCounts {
  /**
   * Returns the cached count or computes it; concurrent requests for the same count share one computation.
   */
  of(counted: Counted, count: () => Promise<number>): Promise<number>;
}

export interface Counted {
  /** Identifies the count: everything that its result depends on except the content. */
  readonly name: string;
  readonly collections: readonly string[];
}

interface Known {
  readonly count: number;
  readonly token: string;
  readonly at: number;
}

/** Limit of each cache, in characters of its keys. */
const MAX_KNOWN = 4_000_000;

/** @param keptMS how long a count is cached, in milliseconds */
export function newKeptCounts(moves: Moves, keptMS: number): KeptCounts {
  const known = new LRUCache<string, Known>({
    maxSize: MAX_KNOWN,
    sizeCalculation: (_, name) => name.length + 100,
  });
  const running = new Map<string, Promise<number>>();

  const countAnew = async (
    counted: Counted,
    token: string,
    count: () => Promise<number>,
  ): Promise<number> => {
    const at = performance.now();
    const found = await count();
    // A write in the meantime may or may not be included in the count.
    if (moves.tokenOf(counted.collections) === token) known.set(counted.name, { count: found, token, at });
    return found;
  };

  return {
    async of(counted, count) {
      const token = keptMS > 0 && isOn('kept totals') ? moves.tokenOf(counted.collections) : null;
      if (token === null) return count();
      const before = known.get(counted.name);
      if (before?.token === token && performance.now() - before.at < keptMS) return before.count;
      const place = `${token} ${counted.name}`;
      const other = running.get(place);
      // The other request may be cancelled for reasons of its own.
      if (other) return other.catch(() => count());
      const own = countAnew(counted, token, count).finally(() => running.delete(place));
      running.set(place, own);
      return own;
    },
  };
}

/** Cached totals of lists (store/reads/totals.ts). */
export interface Totals {
  readonly kept: KeptCounts;
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

interface TotalSettings extends Pick<Totals, 'maxTimeMS' | 'maxAgeMS'> {
  /**
   * Milliseconds for which a count is cached while this process writes to none of its collections; 0 (no
   * caching) if absent.
   */
  readonly keptMS?: number;
}

export const newTotals = (
  { maxTimeMS, maxAgeMS, keptMS = 0 }: TotalSettings,
  moves: Moves = newMoves(),
): Totals => ({
  kept: newKeptCounts(moves, keptMS),
  maxTimeMS,
  maxAgeMS,
  known: new LRUCache({ maxSize: MAX_KNOWN, sizeCalculation: (_, key) => key.length + 100 }),
});
