/** Deliveries of webhooks as stored: waiting, under way, and for a while those that have ended. */
import { type Collection, type Db, type Document, type Filter, MongoBulkWriteError } from 'mongodb';
import { isDuplicateKey } from '../connection/duplicate.js';
import { settingsOf } from '../connection/settings.js';

export type DeliveryState = 'pending' | 'delivered' | 'failed';

/** The outcome of an attempt. */
export interface Attempt {
  readonly at: Date;
  /** HTTP status; null if there was no answer. */
  readonly status: number | null;
  readonly ms: number;
  /** Why there was no answer; null if there was one. */
  readonly error: string | null;
}

export interface Delivery {
  /** Of the change and the endpoint, so that a change is queued once. */
  readonly _id: string;
  readonly endpoint: string;
  /** The order of the deliveries of an endpoint. */
  readonly n: number;
  /** Deliveries of one document are made one after the other. */
  readonly document: string;
  readonly event: string;
  readonly uid: string;
  readonly documentId: string | null;
  readonly locale: string | null;
  /** `webhook-id`: the same in every attempt. */
  readonly webhookId: string;
  /** JSON. */
  readonly payload: string;
  readonly state: DeliveryState;
  readonly attempts: number;
  /** When it is attempted next. */
  readonly next: Date;
  /** When the change was made. */
  readonly changedAt: Date;
  /** After this, no further attempt is made. */
  readonly until: Date;
  readonly endedAt: Date | null;
  readonly last: Attempt | null;
}

export const DELIVERIES = 'mangrove.deliveries';

const deliveries = (db: Db): Collection<Delivery> => db.collection<Delivery>(DELIVERIES);

/** The progress of queueing. */
interface Progress {
  readonly _id: 'webhooks';
  /** Position of the last change that was queued. */
  readonly position?: string;
  /** The last number of a delivery. */
  readonly last?: number;
}

const progress = (db: Db) => settingsOf<Progress>(db);

export const readPosition = async (db: Db): Promise<string | null> =>
  (await progress(db).findOne({ _id: 'webhooks' }))?.position ?? null;

/** @param position null: nothing is queued from now on */
export async function writePosition(db: Db, position: string | null): Promise<void> {
  const change = position === null ? { $unset: { position: '' as const } } : { $set: { position } };
  await progress(db).updateOne({ _id: 'webhooks' }, change, { upsert: true });
}

/** The first of so many new numbers. */
async function takeNumbers(db: Db, count: number): Promise<number> {
  const taken = await progress(db).findOneAndUpdate(
    { _id: 'webhooks' },
    { $inc: { last: count } },
    { upsert: true, returnDocument: 'after' },
  );
  return Number(taken?.last ?? count) - count + 1;
}

export async function indexDeliveries(db: Db): Promise<void> {
  await deliveries(db).createIndex({ endpoint: 1, state: 1, n: 1 }, { name: 'queue' });
  await deliveries(db).createIndex({ endedAt: 1 }, { name: 'ended' });
}

/** What came of queueing. */
export interface Queued {
  readonly added: readonly Delivery[];
  /** Those that were queued before, which stay as they are. */
  readonly known: readonly Delivery[];
}

/** Queues deliveries in this order. */
export async function queueDeliveries(db: Db, made: readonly Omit<Delivery, 'n'>[]): Promise<Queued> {
  if (made.length === 0) return { added: [], known: [] };
  const first = await takeNumbers(db, made.length);
  const numbered = made.map((delivery, at): Delivery => ({ ...delivery, n: first + at }));
  try {
    await deliveries(db).insertMany(numbered, { ordered: false });
    return { added: numbered, known: [] };
  } catch (error) {
    const refused = error instanceof MongoBulkWriteError ? [error.writeErrors].flat() : [];
    if (refused.length === 0 || !refused.every(isDuplicateKey)) throw error;
    const places = new Set(refused.map(({ index }) => index));
    return {
      added: numbered.filter((_, at) => !places.has(at)),
      known: numbered.filter((_, at) => places.has(at)),
    };
  }
}

/** Which deliveries of an endpoint are wanted. */
interface Waiting {
  /** Without these. */
  readonly ids: readonly string[];
  /** Without those of these documents. */
  readonly documents: readonly string[];
  readonly limit: number;
}

/** The first deliveries of an endpoint that wait, in order. */
export const waitingFor = (
  db: Db,
  endpoint: string,
  { ids, documents, limit }: Waiting,
): Promise<Delivery[]> =>
  deliveries(db)
    .find({
      endpoint,
      state: 'pending',
      ...(ids.length > 0 && { _id: { $nin: [...ids] } }),
      ...(documents.length > 0 && { document: { $nin: [...documents] } }),
    })
    .sort({ n: 1 })
    .limit(limit)
    .toArray();

/** What came of an attempt. */
export interface Outcome {
  readonly _id: string;
  readonly last: Attempt;
  /** With `next` the delivery waits for another attempt, otherwise it has ended as `state` says. */
  readonly after: { readonly next: Date } | { readonly state: 'delivered' | 'failed' };
}

/** Stores the outcomes of attempts of different deliveries. */
export async function noteOutcomes(db: Db, outcomes: readonly Outcome[]): Promise<void> {
  await deliveries(db).bulkWrite(
    outcomes.map(({ _id, last, after }) => ({
      updateOne: {
        filter: { _id },
        update: {
          $set: { last, ...after, ...('state' in after && { endedAt: last.at }) },
          $inc: { attempts: 1 },
        },
      },
    })),
    { ordered: false },
  );
}

/** Which deliveries are listed or replayed; absent: any. */
export interface DeliveryFilter {
  readonly ids?: readonly string[];
  readonly endpoint?: string;
  readonly state?: DeliveryState;
}

const filterOf = ({ ids, endpoint, state }: DeliveryFilter): Filter<Delivery> => ({
  ...(ids && { _id: { $in: [...ids] } }),
  ...(endpoint !== undefined && { endpoint }),
  ...(state && { state }),
});

/** The latest deliveries, without what was sent. */
export const listDeliveries = (
  db: Db,
  filter: DeliveryFilter,
  limit: number,
): Promise<Omit<Delivery, 'payload'>[]> =>
  deliveries(db)
    .find<Omit<Delivery, 'payload'>>(filterOf(filter), { projection: { payload: 0 } })
    .sort({ n: -1 })
    .limit(limit)
    .toArray();

export const countDeliveries = (db: Db, filter: DeliveryFilter): Promise<number> =>
  deliveries(db).countDocuments(filterOf(filter));

/** Makes ended deliveries wait again, after all others and in their order; returns how many. */
export async function replayDeliveries(db: Db, filter: DeliveryFilter, until: Date): Promise<number> {
  const ended = { ...filterOf(filter), endedAt: { $ne: null } } satisfies Filter<Delivery>;
  const found = await deliveries(db)
    .find(ended, { projection: { _id: 1 } })
    .sort({ n: 1 })
    .toArray();
  if (found.length === 0) return 0;
  const first = await takeNumbers(db, found.length);
  const again = { state: 'pending', attempts: 0, next: new Date(), until, endedAt: null } as const;
  const { modifiedCount } = await deliveries(db).bulkWrite(
    found.map(({ _id }, at) => ({
      updateOne: { filter: { _id, endedAt: { $ne: null } }, update: { $set: { ...again, n: first + at } } },
    })),
  );
  return modifiedCount;
}

/**
 * Deletes deliveries that ended before a date, the oldest of those beyond a number, and those that nothing has been
 * tried with since that date, as their endpoint is gone or disabled.
 */
export async function trimDeliveries(db: Db, before: Date, keep: number): Promise<void> {
  await deliveries(db).deleteMany({ endedAt: { $lt: before } });
  await deliveries(db).deleteMany({ endedAt: null, until: { $lt: before } });
  const [last] = await deliveries(db)
    .find<Document>({ endedAt: { $ne: null } }, { projection: { endedAt: 1 } })
    .sort({ endedAt: -1 })
    .skip(keep)
    .limit(1)
    .toArray();
  if (last) await deliveries(db).deleteMany({ endedAt: { $lte: last['endedAt'] } });
}

/**
 * Erases what deliveries of a document contain of it: those that have ended are deleted, the others are sent with
 * another payload. Returns how many; with `dryRun`, how many it would be.
 */
export async function eraseDeliveries(
  db: Db,
  { uid, documentId }: Pick<Delivery, 'uid' | 'documentId'>,
  without: (payload: string) => string,
  dryRun: boolean,
): Promise<number> {
  const own = { document: `${uid}/${documentId}` };
  const ended = { ...own, endedAt: { $ne: null } };
  const waiting = (
    await deliveries(db)
      .find({ ...own, endedAt: null })
      .toArray()
  )
    .map(({ _id, payload }) => ({ _id, payload, next: without(payload) }))
    .filter(({ payload, next }) => next !== payload);
  if (dryRun) return waiting.length + (await deliveries(db).countDocuments(ended));
  for (const { _id, next } of waiting) await deliveries(db).updateOne({ _id }, { $set: { payload: next } });
  return waiting.length + (await deliveries(db).deleteMany(ended)).deletedCount;
}

/** Deletes all deliveries of an endpoint. */
export async function dropDeliveries(db: Db, endpoint: string): Promise<void> {
  await deliveries(db).deleteMany({ endpoint });
}
