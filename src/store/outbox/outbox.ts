import { ObjectId } from 'bson';
import { type ClientSession, type Db, Timestamp } from 'mongodb';
import type { Status } from '../../schema/types.js';
import { unlessDuplicates } from '../connection/duplicate.js';

/** What happened to an entry; `entries.replace`: an import, a migration or a restored backup has replaced entries of the type. */
export type ChangeEventName =
  | 'entry.create'
  | 'entry.update'
  | 'entry.delete'
  | 'entry.publish'
  | 'entry.unpublish'
  | 'entry.draft-discard'
  | 'entries.replace';

/** Who made a change. `unknown`: the database reported it, which does not say who. */
export type Author =
  | { readonly kind: 'user'; readonly id: number }
  | { readonly kind: 'token'; readonly name: string }
  | { readonly kind: 'public' | 'script' | 'import' | 'unknown' };

/** Where a write comes from. */
export interface Origin {
  readonly by: Author;
  /** `X-Request-Id` of the request; null if there was none. */
  readonly requestId: string | null;
}

/** The origin of writes that no request has asked for. */
export const SCRIPT: Origin = { by: { kind: 'script' }, requestId: null };

/** A version that a write changed. */
export interface ChangedVersion {
  readonly status: Status;
  /** Its revision before the write; null if it did not exist. */
  readonly before: string | null;
  /** Its revision after the write; null if it was removed. */
  readonly after: string | null;
}

/** One change, as stored in `mangrove.outbox`; `readChanges` yields them in order. */
export interface ChangeEvent extends Partial<Origin> {
  readonly _id: ObjectId;
  /** When the write was made, by the clock of the process that made it. */
  readonly at: Date;
  readonly event: ChangeEventName;
  /** The content type. */
  readonly uid: string;
  /** Null for `entries.replace`, after which any entry of the type may be another. */
  readonly documentId: string | null;
  readonly locale: string | null;
  /** Numeric id of the changed entry; 0 if it has none. */
  readonly id: number;
  /** The versions of the entry that the write changed; absent if they are not known. */
  readonly versions?: readonly ChangedVersion[];
  /**
   * The write was to another entry and changed this one as well: it shares attributes between locales, or stores
   * a relation of the other.
   */
  readonly indirect?: true;
}

export const OUTBOX = 'mangrove.outbox';
/** An id that no change has. */
export const createChangeId = (): string => new ObjectId().toHexString();

export function changeEvent(event: Omit<ChangeEvent, '_id' | 'at'>): ChangeEvent {
  return { _id: new ObjectId(), at: new Date(), ...event };
}

/** A stored event. `placed`: when it was added, by the clock of the server, which all its writers share. */
export type PlacedEvent = ChangeEvent & { readonly placed?: Timestamp };

/** A server replaces an empty timestamp in an inserted document with the time. */
const NOW = new Timestamp({ t: 0, i: 0 });

/** An event as it is inserted in a transaction. */
export const placed = (event: ChangeEvent): PlacedEvent => ({ ...event, placed: NOW });

/**
 * An upsert that adds an event outside a transaction. It is refused as a duplicate if the event exists, which stays as it is:
 * changes since must not come before it.
 */
export const placing = ({ _id, ...event }: ChangeEvent) => ({
  updateOne: {
    filter: { _id, placed: { $exists: false } },
    update: { $setOnInsert: event, $currentDate: { placed: { $type: 'timestamp' as const } } },
    upsert: true,
  },
});

/** The events of types whose entries were replaced without an event for each. */
export const typesReplaced = (
  uids: Iterable<string>,
  origin: Pick<Origin, 'by'> & Partial<Origin>,
): readonly ChangeEvent[] =>
  [...uids].map((uid) =>
    changeEvent({ event: 'entries.replace', uid, documentId: null, locale: null, id: 0, ...origin }),
  );

/** Adds events, in the transaction of `session` if there is one. Otherwise existing events stay. */
export async function addEvents(
  db: Db,
  events: readonly ChangeEvent[],
  session: ClientSession | null,
): Promise<void> {
  if (events.length === 0) return;
  const outbox = db.collection<PlacedEvent>(OUTBOX);
  if (session) {
    await outbox.insertMany(events.map(placed), { session });
    return;
  }
  await outbox.bulkWrite(events.map(placing), { ordered: false }).catch(unlessDuplicates);
}

/** Whether at least one of these events has been added. */
export const haveEvents = async (db: Db, events: readonly ChangeEvent[]): Promise<boolean> =>
  (await db
    .collection<ChangeEvent>(OUTBOX)
    .countDocuments({ _id: { $in: events.map(({ _id }) => _id) } }, { limit: 1 })) > 0;

/** Whether an event other than these tells the same of a version. There is no index for it. */
export const isTold = async (
  db: Db,
  version: ChangedVersion,
  events: readonly ChangeEvent[],
): Promise<boolean> => {
  const others = { _id: { $nin: events.map(({ _id }) => _id) }, versions: { $elemMatch: version } };
  return (await db.collection<ChangeEvent>(OUTBOX).countDocuments(others, { limit: 1 })) > 0;
};

/** @param isNumbered whether readers number the events (see number-events.ts) */
export async function indexOutbox(db: Db, isNumbered: boolean): Promise<void> {
  const outbox = db.collection(OUTBOX);
  await outbox.createIndex({ placed: 1, _id: 1 }, { name: 'placed' });
  if (isNumbered) await outbox.createIndex({ number: 1 }, { name: 'number' });
}
