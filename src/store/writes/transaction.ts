import { setTimeout as sleep } from 'node:timers/promises';
import { type ClientSession, type Db, type MongoClient, MongoError, type TransactionOptions } from 'mongodb';
import { isOn } from '../../limits/mechanisms.js';
import { groupBy } from '../../values/group.js';
import type { Store, WriteLimits } from '../connection/store.js';
import { isOutOfTime, isTransient, isUnavailable, OutcomeUnknown } from '../connection/unavailable.js';
import { applyTogether } from '../entries/apply-step.js';
import type { Write } from '../entries/changes.js';
import { addEvents } from '../outbox/outbox.js';
import { bulkOf, sendBulk } from './bulk.js';
import { writeAtOnce, writeTogether } from './write-at-once.js';

/** Milliseconds. */
const LONGEST_PAUSE = 500;
/** All reads of a transaction see the same point in time. */
const SNAPSHOT: TransactionOptions['readConcern'] = { level: 'snapshot' };

/**
 * Runs `work` in a transaction, and repeats it if nothing was changed (TransientTransactionError, or the
 * database was unavailable); a commit with unknown result is sent again, which commits once. Both as MongoDB
 * documents it, for at most `limits.retryMS`. An error of `work` aborts the transaction and is rethrown.
 */
function inTransaction<T>(
  client: MongoClient,
  limits: WriteLimits,
  readConcern: TransactionOptions['readConcern'] | null,
  work: (session: ClientSession) => Promise<T>,
): Promise<T> {
  const end = Date.now() + limits.retryMS;
  const options: TransactionOptions = {
    ...(readConcern && { readConcern }),
    // The URI may require more or less.
    writeConcern: client.options.writeConcern ?? { w: 'majority' },
    // Regardless of the preference for lists in the URI.
    readPreference: 'primary',
    maxCommitTimeMS: limits.maxCommitTimeMS,
  };
  // A causally consistent session would add a read concern.
  return client.withSession({ causalConsistency: readConcern !== null }, async (session) => {
    for (let tries = 1; ; tries++) {
      // In the same session, so that the server aborts the previous attempt, which may still be open there.
      session.startTransaction(options);
      try {
        const result = await work(session);
        await commit(session, end);
        return result;
      } catch (error) {
        const isOpen = session.inTransaction();
        if (isOpen) await session.abortTransaction();
        // The driver does not label errors that occur before a command is sent, such as while connecting.
        if (!isTransient(error) && !(isOpen && isUnavailable(error))) throw error;
        if (Date.now() > end) throw error;
      }
      await sleep(Math.random() * Math.min(LONGEST_PAUSE, 2 ** tries));
    }
  });
}

async function commit(session: ClientSession, end: number): Promise<void> {
  for (;;)
    try {
      return await session.commitTransaction();
    } catch (thrown) {
      // What is not the driver's own says nothing of the commit, which was sent.
      const error = thrown instanceof MongoError ? thrown : new OutcomeUnknown('commit', { cause: thrown });
      if (isTransient(error) || isOutOfTime(error) || !isUnavailable(error) || Date.now() > end) throw error;
      await sleep(Math.random() * LONGEST_PAUSE);
    }
}

/**
 * Applies a write in one transaction: with one command, or one per collection and one for the events, and a
 * commit. If the server offers atomic commands, no commit is needed, and writes of one turn of the event loop
 * share a command.
 */
export async function writeInTransaction(store: Store, write: Write): Promise<void> {
  const { client, db, writeLimits, writesAcross, writesAtOnce } = store;
  const [event] = write.events;
  const isDone = event && writesAtOnce && isOn('writes together') ? await writeTogether(store, write) : null;
  if (isDone) return;
  const bulk = writesAcross ? bulkOf(db, write) : null;
  if (bulk && event && writesAtOnce) return writeAtOnce(store, { bulk, event, wasSent: isDone === false });
  await (bulk
    ? // Each statement compares what it changes, and some servers do not support a read concern with this command.
      inTransaction(client, writeLimits, null, (session) => sendBulk(client, bulk, session))
    : inTransaction(client, writeLimits, SNAPSHOT, (session) => sendByCollection(db, write, session)));
}

async function sendByCollection(db: Db, write: Write, session: ClientSession): Promise<void> {
  for (const [collection, steps] of groupBy(write.steps, (step) => step.collection))
    await applyTogether(db, collection, steps, session);
  await addEvents(db, write.events, session);
}
