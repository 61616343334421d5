/** Combines the requests that are made in one tick of the event loop into one command. */

/** Maximum number of items in one command. */
const AT_ONCE = 50;

interface Waiting<I, R> {
  readonly item: I;
  answer(result: R | null): void;
}

/**
 * Returns a function that collects the items passed to it in one tick of the event loop and handles them by
 * one call of `together`, which saves most commands under load. An item waits only until the events that have
 * already arrived are processed, and the command is sent after the item was passed. Resolves with null if
 * there was no other item, or if the combined call failed for any reason: each caller then sends its own
 * command and gets its own error.
 */
export function batchPerTick<I, R>(
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
 * Sends at once while items come one at a time, and batches as soon as two overlap: an item goes to `alone` immediately if nothing is
 * in progress and the previous item was the only one in its tick; the first one waits if `hadCompany`.
 */
export function batchUnderLoad<I, R>(
  gathered: (item: I) => Promise<R | null>,
  hadCompany = true,
): <A>(item: I, alone: () => Promise<A>) => Promise<R | A> {
  let underWay = 0;
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

/** Null: to be requested individually. */
type Found<T> = { readonly value: T | undefined } | null;

/**
 * Fetches values by id, combining the ids requested in one tick. Each value is read after it was requested.
 */
export const batchedLookup = <T>(
  askFor: (ids: readonly string[]) => Promise<ReadonlyMap<string, T>>,
): ((id: string) => Promise<Found<T>>) =>
  batchPerTick(async (ids) => {
    const found = await askFor([...new Set(ids)]);
    return ids.map((id) => ({ value: found.get(id) }));
  });
