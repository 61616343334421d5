import type { Store } from './store.js';

interface Times {
  /** Milliseconds from one run to the next. */
  readonly every: number;
  /** Milliseconds until the first run; `every` if absent. */
  readonly first?: number;
}

/** Repeats work as long as the store is open. What fails is tried again the next time. */
export function repeatWhileOpen(
  { client }: Pick<Store, 'client'>,
  { every, first = every }: Times,
  work: () => Promise<void>,
): void {
  const run = (): void => void work().catch(() => undefined);
  let timer = setTimeout(() => {
    timer = setInterval(run, every).unref();
    run();
  }, first).unref();
  // Also ends an interval.
  client.once('topologyClosed', () => clearTimeout(timer));
}
