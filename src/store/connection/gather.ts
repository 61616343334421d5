/** What several requests want in one turn of the event loop, sent as one command. */

/** Members of one command. */
const AT_ONCE = 50;

interface Waiting<I, R> {
  readonly item: I;
  answer(result: R | null): void;
}

/**
 * Deals with items together that come in one turn, which under load spares most commands. Each waits no longer than until what has
 * arrived by now is worked on, and what is sent for it is sent after it came. Null where nobody else came with one, and where they could
 * not be dealt with together, whatever the reason: then each goes alone, and fails by itself.
 */
export function inOneTurn<I, R>(
  together: (items: readonly I[]) => Promise<readonly R[]>,
): (item: I) => Promise<R | null> {
  let waiting: Waiting<I, R>[] = [];

  const answer = async (some: readonly Waiting<I, R>[]): Promise<void> => {
    const results = some.length === 1 ? null : await together(some.map(({ item }) => item)).catch(() => null);
    for (const [at, { answer }] of some.entries()) answer(results?.[at] ?? null);
  };
  const send = (): void => {
    const all = waiting;
    waiting = [];
    for (let at = 0; at < all.length; at += AT_ONCE) void answer(all.slice(at, at + AT_ONCE));
  };

  return (item) =>
    new Promise((resolve) => {
      if (waiting.length === 0) setImmediate(send);
      waiting.push({ item, answer: resolve });
    });
}

/**
 * The same where few come at a time, too: whoever comes while nothing is under way, after one that had no company, does not wait for
 * any, and goes alone at once.
 */
export function orAtOnce<I, R>(
  gathered: (item: I) => Promise<R | null>,
): <A>(item: I, alone: () => Promise<A>) => Promise<R | A> {
  let underWay = 0;
  let hadCompany = true;
  return async (item, alone) => {
    const waits = hadCompany || underWay > 0;
    underWay += 1;
    try {
      const result = waits ? await gathered(item) : null;
      hadCompany = result !== null;
      return result ?? (await alone());
    } finally {
      underWay -= 1;
    }
  };
}

/** Null: to be asked for alone. */
type Found<T> = { readonly value: T | undefined } | null;

/** Asks for things by their ids: those that are wanted in one turn together. Each is as it is stored after it was wanted. */
export const newGatherer = <T>(
  askFor: (ids: readonly string[]) => Promise<ReadonlyMap<string, T>>,
): ((id: string) => Promise<Found<T>>) =>
  inOneTurn(async (ids) => {
    const found = await askFor([...new Set(ids)]);
    return ids.map((id) => ({ value: found.get(id) }));
  });
