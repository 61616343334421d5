/** Deliveries of webhooks as stored: waiting, under way, and for a while those that have ended. */
import type { Collection, Db, Document, Filter } from 'mongodb';
import { settingsOf } from '../connection/settings.js';

export type DeliveryState = 'pending' | 'delivered' | 'failed';

/** The outcome of an attempt. */
interface Attempt {
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
  /** Position of the last change of which, and of those before, all deliveries are stored. */
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

/** Numbers deliveries in this order and stores them, but for those that are stored: their changes are read again. */
export async function queueDeliveries(
  db: Db,
  made: readonly Omit<Delivery, 'n'>[],
  without: Without,
): Promise<void> {
  if (made.length === 0) return;
  const stored = await deliveries(db)
    .find({ _id: { $in: made.map(({ _id }) => _id) } }, { projection: { _id: 1 } })
    .toArray();
  const known = new Set(stored.map(({ _id }) => _id));
  const fresh = made.filter(({ _id }) => !known.has(_id));
  if (fresh.length === 0) return;
  const first = await takeNumbers(db, fresh.length);
  await storeDeliveries(
    db,
    fresh.map((delivery, at): Delivery => ({ ...delivery, n: first + at })),
    without,
  );
}

/**
 * Stores new deliveries in their order: after a crash none is there without the ones of its document that come first.
 * @param without see `eraseDeliveries`
 */
export async function storeDeliveries(db: Db, made: readonly Delivery[], without: Without): Promise<void> {
  await deliveries(db).insertMany([...made]);
  const documents = [...new Set(made.map(({ document }) => document))];
  const erased = await erasures(db)
    .find({ _id: { $in: documents.map(erasureId) } })
    .toArray();
  for (const erasure of erased) await eraseUntil(db, erasure, without);
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
  /** The delivery. */
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
  // "0" is the character after the slash.
  await erasures(db).deleteMany({ _id: { $gt: ERASED, $lt: 'webhooks/erased0' }, at: { $lt: before } });
  const [last] = await deliveries(db)
    .find<Document>({ endedAt: { $ne: null } }, { projection: { endedAt: 1 } })
    .sort({ endedAt: -1 })
    .skip(keep)
    .limit(1)
    .toArray();
  if (last) await deliveries(db).deleteMany({ endedAt: { $lte: last['endedAt'] } });
}

/** A payload without the content of its entry. */
type Without = (payload: string) => string;

/** A document of which everything that was made until then is erased, also what is stored later. */
interface Erasure {
  readonly _id: string;
  readonly document: string;
  readonly at: Date;
}

const ERASED = 'webhooks/erased/';
const erasureId = (document: string): string => ERASED + document;
const erasures = (db: Db) => settingsOf<Erasure>(db);
/** Milliseconds by which clocks may differ. */
const SKEW = 10_000;

/**
 * Erases what deliveries of a document contain of it: those that have ended are deleted, the others are sent with
 * another payload. Returns how many; with `dryRun`, how many it would be.
 */
export async function eraseDeliveries(
  db: Db,
  { uid, documentId }: Pick<Delivery, 'uid' | 'documentId'>,
  without: Without,
  dryRun: boolean,
): Promise<number> {
  const [document, at] = [`${uid}/${documentId}`, new Date()];
  if (!dryRun)
    await erasures(db).updateOne({ _id: erasureId(document) }, { $set: { document, at } }, { upsert: true });
  return eraseUntil(db, { document, at }, without, dryRun);
}

async function eraseUntil(
  db: Db,
  { document, at }: Pick<Erasure, 'document' | 'at'>,
  without: Without,
  dryRun = false,
): Promise<number> {
  const own = { document, changedAt: { $not: { $gt: new Date(at.getTime() + SKEW) } } };
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
