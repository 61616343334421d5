import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Runs `work` for one list of items after the other: what comes while it runs is the next list. Rejects as `work` does.
 * @param every milliseconds from the end of one list to the beginning of the next
 */
export function gathered<T>(
  work: (items: readonly T[]) => Promise<void>,
  every = 0,
): (item: T) => Promise<void> {
  let waiting: T[] = [];
  let next: Promise<void> | null = null;
  let running: Promise<void> = Promise.resolve();
  const begin = (): Promise<void> => {
    const items = waiting;
    waiting = [];
    next = null;
    return work(items);
  };
  return (item) => {
    waiting.push(item);
    if (next) return next;
    next = running.then(begin);
    running = next.catch(() => undefined);
    if (every > 0) running = running.then(() => sleep(every));
    return next;
  };
}
