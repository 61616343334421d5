import { ObjectId } from 'bson';
import type { ClientSession, Db, Timestamp } from 'mongodb';
import { unlessDuplicate } from '../connection/duplicate.js';

/** What happened to an entry (rules G.10). */
export type ChangeEventName =
  | 'entry.create'
  | 'entry.update'
  | 'entry.delete'
  | 'entry.publish'
  | 'entry.unpublish'
  | 'entry.draft-discard';

/** One change, as it stands in `mangrove.outbox`; `readChanges` gives them in their order. */
export interface ChangeEvent {
  readonly _id: ObjectId;
  readonly at: Date;
  readonly event: ChangeEventName;
  readonly uid: string;
  readonly documentId: string;
  readonly locale: string | null;
  /** Numeric id of the entry that the event is about. */
  readonly id: number;
}

export const OUTBOX = 'mangrove.outbox';
/** Events older than this many seconds are dropped: a week for a consumer that was away. */
const KEPT_SECONDS = 7 * 24 * 3600;

export function changeEvent(event: Omit<ChangeEvent, '_id' | 'at'>): ChangeEvent {
  return { _id: new ObjectId(), at: new Date(), ...event };
}

/** Adds an event without a transaction: one that is there already stays. */
export const placing = ({ _id, ...event }: ChangeEvent) => ({
  updateOne: {
    filter: { _id },
    update: { $setOnInsert: event, $currentDate: { placed: { $type: 'timestamp' as const } } },
    upsert: true,
  },
});

/**
 * Adds events; within the transaction of `session` where there is one. Without, an event that is there already stays, and the server's
 * clock, which all writers of a standalone server share, says when it came (`placed`).
 */
export async function addEvents(
  db: Db,
  events: readonly ChangeEvent[],
  session: ClientSession | null,
): Promise<void> {
  if (events.length === 0) return;
  const outbox = db.collection<ChangeEvent & { placed?: Timestamp }>(OUTBOX);
  if (session) {
    await outbox.insertMany([...events], { session });
    return;
  }
  await outbox.bulkWrite(events.map(placing)).catch(unlessDuplicate);
}

/** Whether one of these events has been added. */
export const haveEvents = async (db: Db, events: readonly ChangeEvent[]): Promise<boolean> =>
  (await db
    .collection<ChangeEvent>(OUTBOX)
    .countDocuments({ _id: { $in: events.map(({ _id }) => _id) } }, { limit: 1 })) > 0;

/** `isNumbered`: readers number the events (see number-events.ts). */
export async function indexOutbox(db: Db, isNumbered: boolean): Promise<void> {
  const outbox = db.collection(OUTBOX);
  await outbox.createIndex({ at: 1 }, { name: 'at', expireAfterSeconds: KEPT_SECONDS });
  if (isNumbered) await outbox.createIndex({ number: 1 }, { name: 'number' });
}
