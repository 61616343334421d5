import { setTimeout as wait } from 'node:timers/promises';

interface Patience {
  /** Milliseconds; less than the test may take, so that a wait in vain tells what was seen. */
  readonly within?: number;
  /** Milliseconds between two looks. */
  readonly every?: number;
  /** Whether it cannot come any more, as when a process has ended. */
  readonly over?: () => boolean;
}

/**
 * Waits until that holds, however slow the machine is.
 * @param seen what there is instead, for whoever reads of a wait in vain
 * @throws an error with what was seen where it does not come
 */
export async function until(
  holds: () => boolean | Promise<boolean>,
  seen: () => unknown,
  { within = 50_000, every = 20, over = () => false }: Patience = {},
): Promise<void> {
  const end = performance.now() + within;
  while (!(await holds())) {
    if (over() || performance.now() > end) throw new Error(`waited in vain; seen: ${String(seen())}`);
    await wait(every);
  }
}
