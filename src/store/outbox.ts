import { ObjectId } from 'bson';
import type { ClientSession, Db } from 'mongodb';
import { isDuplicateKey } from './duplicate.js';

/** What happened to an entry (rules G.10). */
export type ChangeEventName =
  | 'entry.create'
  | 'entry.update'
  | 'entry.delete'
  | 'entry.publish'
  | 'entry.unpublish'
  | 'entry.draft-discard';

/** One change, as webhooks and live queries read it from `mangrove.outbox`, in the order of `_id`. */
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

/** Adds events; within the transaction of `session` where there is one. Events that are there already are left alone. */
export async function addEvents(
  db: Db,
  events: readonly ChangeEvent[],
  session: ClientSession | null,
): Promise<void> {
  if (events.length === 0) return;
  const outbox = db.collection<ChangeEvent>(OUTBOX);
  if (session) {
    await outbox.insertMany([...events], { session });
    return;
  }
  await outbox.insertMany([...events], { ordered: false }).catch((error: unknown) => {
    if (!isDuplicateKey(error)) throw error;
  });
}

export async function indexOutbox(db: Db): Promise<void> {
  await db.collection(OUTBOX).createIndex({ at: 1 }, { name: 'at', expireAfterSeconds: KEPT_SECONDS });
}
