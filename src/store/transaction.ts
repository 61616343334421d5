import type { ClientSession, Db, MongoClient } from 'mongodb';
import { applyTogether } from './apply-step.js';
import type { Step } from './changes.js';
import { addEvents, type ChangeEvent } from './outbox.js';

/** What one write sends: its steps and the events that tell of them. */
export interface Write {
  readonly steps: readonly Step[];
  readonly events: readonly ChangeEvent[];
}

/**
 * Runs `work` in a transaction; the driver runs it again on a TransientTransactionError and repeats a commit whose result is not
 * known. An error thrown by `work` aborts and comes through.
 */
export function withTransaction<T>(
  client: MongoClient,
  work: (session: ClientSession) => Promise<T>,
): Promise<T> {
  return client.withSession((session) =>
    session.withTransaction(work, {
      readConcern: { level: 'snapshot' },
      writeConcern: { w: 'majority' },
      // Whatever the address prefers for lists.
      readPreference: 'primary',
    }),
  );
}

/** One write as one transaction: a command a collection, one for the events, and the commit. */
export async function writeInTransaction(client: MongoClient, db: Db, write: Write): Promise<void> {
  const byCollection = new Map<string, Step[]>();
  for (const step of write.steps)
    byCollection.set(step.collection, [...(byCollection.get(step.collection) ?? []), step]);
  await withTransaction(client, async (session) => {
    for (const [collection, steps] of byCollection) await applyTogether(db, collection, steps, session);
    await addEvents(db, write.events, session);
  });
}
