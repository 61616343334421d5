import type { Staged } from '../../store/transfer/staging.js';
import type { Import } from './context.js';
import { Problems } from './state.js';

/** Works on all that is staged under a name, behind what was done before it was killed; after each batch it saves where it is. */
export async function inBatches<T extends Staged>(
  run: Import,
  { name, order }: { readonly name: string; readonly order?: string },
  work: (batch: readonly T[], problems: Problems) => Promise<void>,
): Promise<void> {
  const { staging, state } = run;
  const problems = new Problems(staging, state);
  const done = state.at;
  let number = 0;
  for await (const batch of staging.batches<T>(name, order)) {
    number += batch.length;
    if (number <= done) continue;
    await work(batch, problems);
    await problems.flush();
    state.at = number;
    await run.saved();
  }
}
