import { type Deployment, detectDeployment } from '../connection/deployment.js';
import type { Moves } from '../connection/moves.js';
import type { Store } from '../connection/store.js';
import type { Write } from '../entries/changes.js';
import { indexOutbox } from '../outbox/outbox.js';
import { indexJournal, openJournal } from './journal.js';
import { writeInTransaction } from './transaction.js';

/** The way to change stored entries. */
export interface Writer {
  readonly deployment: Deployment;
  /**
   * Applies all of a write or none of it. Throws `WriteConflict` where an entry changed since it was read, and the server's
   * duplicate-key error where a unique index refuses.
   */
  commit(write: Write): Promise<void>;
  /** Whether a write of anyone that has not ended may change this document. Never in a transaction: nobody sees half of one. */
  isUnderWay(collection: string, id: unknown): Promise<boolean>;
}

/** Milliseconds between two looks for writes of others that stopped, unless a lease is longer. */
const LOOK = 5000;

/** Determines what the deployment can do, creates the indexes that writing needs, and finishes what a crash left behind. */
export async function openWriter(store: Store): Promise<Writer> {
  const { client, db, moves } = store;
  const { leaseMS } = store.writeLimits;
  const deployment = await detectDeployment(db);
  await indexOutbox(db, deployment === 'standalone');
  if (deployment !== 'standalone')
    return {
      deployment,
      isUnderWay: () => Promise.resolve(false),
      commit: moving(moves, (write) => writeInTransaction(store, write)),
    };
  await indexJournal(db);
  // Without waiting for the disk after each step: the note of a write does that, from which they can be told.
  const journal = openJournal(client.db(db.databaseName, { readPreference: 'primary' }), leaseMS);
  store.beforeClose.push(journal.settled);
  await journal.recoverAll();
  const every = Math.max(LOOK, leaseMS ?? 0);
  const timer = setInterval(() => void journal.recoverOverdue().catch(() => undefined), every).unref();
  client.once('topologyClosed', () => clearInterval(timer));
  return {
    deployment,
    isUnderWay: journal.isLocked,
    commit: moving(moves, journal.write),
  };
}

/** A commit that tells what it moves. */
const moving =
  (moves: Moves, commit: Writer['commit']): Writer['commit'] =>
  async (write) => {
    if (write.steps.length === 0) return;
    const end = moves.begin(write.steps.map(({ collection }) => collection));
    try {
      await commit(write);
    } finally {
      end();
    }
  };
