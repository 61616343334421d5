import { type Deployment, detectDeployment } from '../connection/deployment.js';
import { repeatWhileOpen } from '../connection/repeat.js';
import type { Store } from '../connection/store.js';
import type { Write } from '../entries/changes.js';
import { indexIdempotencyKeys } from '../entries/idempotency-keys.js';
import { indexSchedules } from '../entries/schedules.js';
import { indexOutbox } from '../outbox/outbox.js';
import { type Retention, trimOutbox } from '../outbox/retention.js';
import { indexJournal, openJournal } from './journal.js';
import { writeInTransaction } from './transaction.js';

/** Changes stored entries. */
export interface Writer {
  readonly deployment: Deployment;
  /**
   * Applies a write completely or not at all. Throws `WriteConflict` if an entry has changed since it was
   * read, and the server's duplicate-key error if a unique index refuses it.
   */
  commit(write: Write): Promise<void>;
  /**
   * Whether an unfinished write, of any process, may change this document. Always false with transactions,
   * whose changes become visible at once.
   */
  isUnderWay(collection: string, id: unknown): Promise<boolean>;
}

/** Milliseconds between checks for interrupted writes of other processes, unless a lease is longer. */
const CHECK_EVERY = 5000;
/** Milliseconds between deletions of old changes. */
const TRIM_EVERY = 600_000;

/**
 * Detects what the deployment supports, creates the indexes that writes need, and completes writes that a
 * crash interrupted.
 * @param retention which changes are kept; null: all, as long as this writer is open
 */
export async function openWriter(store: Store, retention: Retention | null = null): Promise<Writer> {
  const { db } = store;
  const { leaseMS } = store.writeLimits;
  const deployment = await detectDeployment(db);
  await indexOutbox(db, deployment === 'standalone');
  await indexIdempotencyKeys(db);
  await indexSchedules(db);
  if (retention) repeatWhileOpen(store, { every: TRIM_EVERY }, () => trimOutbox(db, retention));
  if (deployment !== 'standalone')
    return {
      deployment,
      isUnderWay: () => Promise.resolve(false),
      commit: unlessEmpty((write) => writeInTransaction(store, write)),
    };
  await indexJournal(db);
  const journal = openJournal(db, leaseMS);
  store.beforeClose.push(journal.settled);
  await journal.recoverAll();
  repeatWhileOpen(store, { every: Math.max(CHECK_EVERY, leaseMS ?? 0) }, journal.recoverOverdue);
  return {
    deployment,
    isUnderWay: journal.isLocked,
    commit: unlessEmpty(journal.write),
  };
}

/** Sends nothing if nothing changes. */
const unlessEmpty =
  (commit: Writer['commit']): Writer['commit'] =>
  async (write) => {
    if (write.steps.length > 0) await commit(write);
  };
