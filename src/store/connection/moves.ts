/**
 * Tracks this process's writes by collection, so that whoever caches a result can tell by a token whether it
 * may have changed. The token changes when a write is sent and again when it ends, successfully or not.
 */
import { memberOf } from '../../values/once-per.js';
export interface Moves {
  /** Call before sending a write; call the returned function when the write has ended. */
  begin(collections: Iterable<string>): () => void;
  /** A token that changes with each write to one of the collections; null while one is in progress. */
  tokenOf(collections: readonly string[]): string | null;
}

interface Moved {
  times: number;
  underWay: number;
}

export function newMoves(): Moves {
  const moved = new Map<string, Moved>();
  const of = (collection: string): Moved => memberOf(moved, collection, () => ({ times: 0, underWay: 0 }));
  return {
    begin(collections) {
      const all = [...new Set(collections)].map(of);
      for (const each of all) each.underWay += 1;
      return () => {
        for (const each of all) {
          each.underWay -= 1;
          each.times += 1;
        }
      };
    },
    tokenOf(collections) {
      const all = collections.map(of);
      return all.some(({ underWay }) => underWay > 0) ? null : all.map(({ times }) => times).join();
    },
  };
}
