/** The totals that a store remembers (store/reads/totals.ts). */
import { LRUCache } from 'lru-cache';
import { newKeptCounts } from './kept-counts.js';
import { type Moves, newMoves } from './moves.js';
import type { Totals } from './store.js';

/** Characters of the filters whose totals one store remembers. */
const MAX_KNOWN = 4_000_000;

export interface TotalSettings extends Pick<Totals, 'maxTimeMS' | 'maxAgeMS'> {
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
