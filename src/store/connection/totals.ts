/**
 * Counts that stand until what they count may have changed: a write of this process ends them at once, what other processes and
 * programs write is seen when their time is over (docs/decisions/007).
 */
import { LRUCache } from 'lru-cache';
import { type Moves, newMoves } from './moves.js';

interface KeptCounts {
  /**
   * The count of this name, which is counted again where it is no longer known; requests that want the same at the same time wait
   * for one.
   */
  of(counted: Counted, count: () => Promise<number>): Promise<number>;
}

export interface Counted {
  /** What is counted: all that its number depends on but the content. */
  readonly name: string;
  readonly collections: readonly string[];
}

interface Known {
  readonly count: number;
  readonly token: string;
  readonly at: number;
}

/** Characters of names that are remembered. */
const MAX_KNOWN = 4_000_000;

/** @param keptMS how long a count stands, in milliseconds */
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
    // What was written meanwhile may be in it, or not.
    if (moves.tokenOf(counted.collections) === token) known.set(counted.name, { count: found, token, at });
    return found;
  };

  return {
    async of(counted, count) {
      const token = keptMS > 0 ? moves.tokenOf(counted.collections) : null;
      if (token === null) return count();
      const before = known.get(counted.name);
      if (before?.token === token && performance.now() - before.at < keptMS) return before.count;
      const place = `${token} ${counted.name}`;
      const other = running.get(place);
      // Another request may be broken off for reasons of its own.
      if (other) return other.catch(() => count());
      const own = countAnew(counted, token, count).finally(() => running.delete(place));
      running.set(place, own);
      return own;
    },
  };
}

/** Totals of lists, as far as they are known (store/reads/totals.ts). */
export interface Totals {
  readonly kept: KeptCounts;
  /** Milliseconds that a count beside a page may take. */
  readonly maxTimeMS: number;
  /** Milliseconds that a total stands for later requests with the same filter; 0: each counts again. */
  readonly maxAgeMS: number;
  readonly known: LRUCache<string, KnownTotal>;
}

interface KnownTotal {
  readonly count: number;
  readonly at: number;
}

interface TotalSettings extends Pick<Totals, 'maxTimeMS' | 'maxAgeMS'> {
  /** Milliseconds that a count is kept where this process writes nothing; 0, which is never, if absent. */
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
