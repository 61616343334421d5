import type { Staged } from '../../store/transfer/staging.js';
import type { Import } from './context.js';

/**
 * Processes everything staged under a name, continuing an interrupted run; saves the progress after each
 * batch.
 */
export async function eachStagedBatch<T extends Staged>(
  run: Import,
  { name, order }: { readonly name: string; readonly order?: string },
  work: (batch: readonly T[]) => Promise<void>,
): Promise<void> {
  const done = run.state.at;
  let number = 0;
  for await (const batch of run.staging.batches<T>(name, order)) {
    number += batch.length;
    if (number <= done) continue;
    await work(batch);
    await run.saved(number);
  }
}

/** The items that a phase has not yet processed, numbered from 1. */
export async function* remaining<T>({ state }: Import, all: AsyncIterable<T>): AsyncGenerator<[number, T]> {
  const done = state.at;
  let number = 0;
  for await (const one of all) {
    number += 1;
    if (number > done) yield [number, one];
  }
}
