/** What several requests want in one turn of the event loop, asked for by one command. */

/** Ids of one command. */
const AT_ONCE = 50;

interface Waiting<T> {
  readonly id: string;
  answer(found: Found<T>): void;
}

/** Null: to be asked for alone. */
type Found<T> = { readonly value: T | undefined } | null;

/**
 * Asks for things by their ids: those that are wanted in one turn together, which under load spares most commands. Each waits no
 * longer than until what has arrived by now is worked on, and sees what is stored after it was wanted. Null where nobody else wanted
 * one, and where they could not be had together, whatever the reason: then each is asked for alone, and fails by itself.
 */
export function newGatherer<T>(
  askFor: (ids: readonly string[]) => Promise<ReadonlyMap<string, T>>,
): (id: string) => Promise<Found<T>> {
  let waiting: Waiting<T>[] = [];

  const answer = async (some: readonly Waiting<T>[]): Promise<void> => {
    const ids = new Set(some.map(({ id }) => id));
    const found = some.length === 1 ? null : await askFor([...ids]).catch(() => null);
    for (const { id, answer } of some) answer(found && { value: found.get(id) });
  };
  const send = (): void => {
    const all = waiting;
    waiting = [];
    for (let at = 0; at < all.length; at += AT_ONCE) void answer(all.slice(at, at + AT_ONCE));
  };

  return (id) =>
    new Promise((resolve) => {
      if (waiting.length === 0) setImmediate(send);
      waiting.push({ id, answer: resolve });
    });
}
