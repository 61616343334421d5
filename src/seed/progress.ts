import { createHash } from 'node:crypto';
import type { Store } from '../store/client.js';
import { readProgress, writeProgress } from '../store/leases/seeds.js';
import type { SeedOptions, SeedSource } from './types.js';

/** Records the outcome of one row. */
export interface RowProgress {
  stored(): void;
  /** The row is stored only in part, so the next run starts with it. */
  later(): void;
}

/** The progress of a run through a source. */
interface Progress {
  /** Number of rows stored by an earlier run. */
  readonly from: number;
  open(row: number): void;
  close(row: number): void;
  of(row: number): RowProgress;
  /** Saves how many rows, counted from the first, are stored. */
  save(): Promise<void>;
  forget(): Promise<void>;
}

export async function openProgress(
  store: Store,
  source: SeedSource,
  options: SeedOptions,
): Promise<Progress> {
  const { version } = source;
  const { type = null, keys = {}, draft = false, dryRun, restart } = options;
  const isKept = version !== null && !dryRun;
  const id = createHash('sha256')
    .update(JSON.stringify([version, type, keys, draft]))
    .digest('hex');
  const from = isKept && !restart ? await readProgress(store, id) : 0;
  /** Rows that are read but not yet stored. */
  const pending = new Set<number>();
  let next = from;
  let stop = Number.POSITIVE_INFINITY;
  let saved = from;
  const close = (row: number): void => {
    pending.delete(row);
  };
  return {
    from,
    open(row) {
      pending.add(row);
      next = row + 1;
    },
    close,
    of: (row) => ({
      stored: () => close(row),
      later: () => {
        stop = Math.min(stop, row);
        close(row);
      },
    }),
    async save() {
      const done = Math.min(stop, next, ...pending);
      if (!isKept || done === saved) return;
      await writeProgress(store, id, done);
      saved = done;
    },
    async forget() {
      if (isKept) await writeProgress(store, id, null);
    },
  };
}
