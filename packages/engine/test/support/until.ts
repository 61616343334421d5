import { setTimeout as wait } from 'node:timers/promises';

interface Patience {
  /** Milliseconds; less than the test may take, so that a failed wait reports what was seen. */
  readonly within?: number;
  /** Milliseconds between two checks. */
  readonly every?: number;
  /** Whether the condition can no longer become true, as when a process has ended. */
  readonly over?: () => boolean;
}

/**
 * Waits until a condition holds, however slow the machine is.
 * @param seen the current state, for the error message
 * @throws an error with the state if the condition does not become true
 */
export async function until(
  holds: () => boolean | Promise<boolean>,
  seen: () => unknown,
  { within = 150_000, every = 20, over = () => false }: Patience = {},
): Promise<void> {
  const end = performance.now() + within;
  while (!(await holds())) {
    if (over() || performance.now() > end) throw new Error(`timed out; state: ${String(seen())}`);
    await wait(every);
  }
}
