/**
 * What this process writes, told by collection: whoever keeps something that it read knows by a token whether that may have changed. A
 * write moves its collections when it is sent and when it has ended, however it ended.
 */
export interface Moves {
  /** To be called before a write is sent; what it gives, when it has ended. */
  begin(collections: Iterable<string>): () => void;
  /** Differs after each write to one of them; null while one is under way. */
  tokenOf(collections: readonly string[]): string | null;
}

interface Moved {
  times: number;
  underWay: number;
}

export function newMoves(): Moves {
  const moved = new Map<string, Moved>();
  const of = (collection: string): Moved => {
    const known = moved.get(collection) ?? { times: 0, underWay: 0 };
    moved.set(collection, known);
    return known;
  };
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
