import type { Staged } from '../../store/transfer/staging.js';
import type { Import } from './context.js';

/** Works on all that is staged under a name, behind what was done before it was killed; after each batch it saves where it is. */
export async function inBatches<T extends Staged>(
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

/** What a phase has not yet done of all there is, each with its number from 1 on. */
export async function* remaining<T>({ state }: Import, all: AsyncIterable<T>): AsyncGenerator<[number, T]> {
  const done = state.at;
  let number = 0;
  for await (const one of all) {
    number += 1;
    if (number > done) yield [number, one];
  }
}
