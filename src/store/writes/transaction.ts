import { setTimeout as sleep } from 'node:timers/promises';
import type { ClientSession, Db, MongoClient, TransactionOptions } from 'mongodb';
import { groupBy } from '../../values/group.js';
import type { Store, WriteLimits } from '../connection/store.js';
import { isOutOfTime, isTransient, isUnavailable } from '../connection/unavailable.js';
import { applyTogether } from '../entries/apply-step.js';
import type { Write } from '../entries/changes.js';
import { addEvents } from '../outbox/outbox.js';
import { bulkOf, sendBulk } from './bulk.js';
import { writeAtOnce, writeTogether } from './write-at-once.js';

/** Milliseconds. */
const LONGEST_PAUSE = 500;
/** All that a transaction reads is of one moment. */
const SNAPSHOT: TransactionOptions['readConcern'] = { level: 'snapshot' };

/**
 * Runs `work` in a transaction, again where nothing was done (TransientTransactionError, or the database was away); a commit whose
 * result is not known is sent again, which commits once. Both as MongoDB documents it, for no longer than `limits.retryMS`. An error
 * thrown by `work` aborts and comes through.
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
    // The address may ask for more, or for less.
    writeConcern: client.options.writeConcern ?? { w: 'majority' },
    // Whatever the address prefers for lists.
    readPreference: 'primary',
    maxCommitTimeMS: limits.maxCommitTimeMS,
  };
  // A session that follows what it has seen would ask for a read concern again.
  return client.withSession({ causalConsistency: readConcern !== null }, async (session) => {
    for (let tries = 1; ; tries++) {
      // In the same session, so that the server aborts the previous attempt, which it may not know to have ended.
      session.startTransaction(options);
      try {
        const result = await work(session);
        await commit(session, end);
        return result;
      } catch (error) {
        const isOpen = session.inTransaction();
        if (isOpen) await session.abortTransaction();
        // The driver does not label what goes wrong before a command is sent, as while it connects.
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
    } catch (error) {
      if (isTransient(error) || isOutOfTime(error) || !isUnavailable(error) || Date.now() > end) throw error;
      await sleep(Math.random() * LONGEST_PAUSE);
    }
}

/**
 * One write as one transaction: all of it in one command, or a command a collection and one for the events; and the commit, unless the
 * command is a transaction of its own, which writes of one turn of the event loop share.
 */
export async function writeInTransaction(store: Store, write: Write): Promise<void> {
  const { client, db, writeLimits, writesAcross, writesAtOnce } = store;
  const [event] = write.events;
  const isDone = event && writesAtOnce ? await writeTogether(store, write) : null;
  if (isDone) return;
  const bulk = writesAcross ? bulkOf(db, write) : null;
  if (bulk && event && writesAtOnce) return writeAtOnce(store, { bulk, event, wasSent: isDone === false });
  await (bulk
    ? // Each statement itself compares what it changes, and some servers take no read concern with this command.
      inTransaction(client, writeLimits, null, (session) => sendBulk(client, bulk, session))
    : inTransaction(client, writeLimits, SNAPSHOT, (session) => sendByCollection(db, write, session)));
}

async function sendByCollection(db: Db, write: Write, session: ClientSession): Promise<void> {
  for (const [collection, steps] of groupBy(write.steps, (step) => step.collection))
    await applyTogether(db, collection, steps, session);
  await addEvents(db, write.events, session);
}
