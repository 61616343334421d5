import type { Db, MongoClient } from 'mongodb';
import { type Deployment, detectDeployment } from './deployment.js';
import { indexJournal, recoverAll, writeWithJournal } from './journal.js';
import { indexOutbox } from './outbox.js';
import { type Write, writeInTransaction } from './transaction.js';

/** The way to change stored entries. */
export interface Writer {
  readonly deployment: Deployment;
  /**
   * Applies all of a write or none of it. Throws `WriteConflict` where an entry changed since it was read, and the server's
   * duplicate-key error where a unique index refuses.
   */
  commit(write: Write): Promise<void>;
}

/** Finds out what the deployment can do, makes the indexes that writing needs, and finishes what a crash left behind. */
export async function openWriter(client: MongoClient, db: Db): Promise<Writer> {
  const deployment = await detectDeployment(db);
  await indexOutbox(db);
  if (deployment === 'standalone') {
    await indexJournal(db);
    await recoverAll(db);
  }
  return {
    deployment,
    async commit(write) {
      if (write.steps.length === 0) return;
      if (deployment === 'standalone') await writeWithJournal(db, write);
      else await writeInTransaction(client, db, write);
    },
  };
}
