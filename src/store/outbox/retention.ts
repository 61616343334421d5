/** How long changes are kept. What was deleted is noted first, so that no reader takes what is left for all there is. */
import { type Db, type Document, Timestamp } from 'mongodb';
import { databaseTime } from '../connection/database-time.js';
import { settingsOf } from '../connection/settings.js';
import { OUTBOX } from './outbox.js';

/** What is kept of the changes. */
export interface Retention {
  readonly days: number;
  /** Of the changes as the database counts them, uncompressed. */
  readonly maxBytes: number;
}

interface Trimmed {
  readonly _id: 'outbox/trimmed';
  /** Everything placed until then may have been deleted. */
  readonly through: Timestamp;
}

const DAY = 24 * 3600;
const NEVER = new Timestamp({ t: 0, i: 0 });

const notes = (db: Db) => settingsOf<Trimmed>(db);

/** Whether no change that was placed after this one has been deleted. */
export async function isKept(db: Db, placed: Timestamp): Promise<boolean> {
  const trimmed = await notes(db).findOne({ _id: 'outbox/trimmed' });
  return !trimmed || placed.greaterThanOrEqual(trimmed.through);
}

/** Deletes the oldest changes: those of more than so many days, and those beyond the size. */
export async function trimOutbox(db: Db, { days, maxBytes }: Retention): Promise<void> {
  const outbox = db.collection(OUTBOX);
  const now = await databaseTime(db);
  const oldest = Math.floor(Number(now) / 1000) - days * DAY;
  const byAge = new Timestamp({ t: oldest, i: 0 });
  const bySize = await surplusOf(db, maxBytes);
  const through = bySize?.greaterThan(byAge) ? bySize : byAge;
  // Of a server that does not fill in timestamps.
  const unplaced = { placed: { $in: [null, NEVER] }, at: { $lt: new Date(oldest * 1000) } };
  const old = { $or: [{ placed: { $lte: through, $gt: NEVER } }, unplaced] };
  if (!(await outbox.findOne(old, { projection: { _id: 1 } }))) return;
  const before = { _id: 'outbox/trimmed', through: { $lt: through } } as const;
  await notes(db).updateOne(before, { $set: { through } });
  await notes(db).updateOne({ _id: before._id }, { $setOnInsert: { through } }, { upsert: true });
  await outbox.deleteMany(old);
}

/** When the last change was placed that has to go for the rest to fit; null if all of them fit. */
async function surplusOf(db: Db, maxBytes: number): Promise<Timestamp | null> {
  const { size }: Document = await db.command({ collStats: OUTBOX }).catch(() => ({ size: 0 }));
  if (!(Number(size) > maxBytes)) return null;
  const outbox = db.collection<{ readonly placed?: Timestamp }>(OUTBOX);
  // The number in the statistics may be an estimate.
  const surplus = Math.ceil((await outbox.countDocuments()) * (1 - maxBytes / Number(size)));
  const [last] = await outbox
    .find({}, { projection: { placed: 1 } })
    .sort({ placed: 1, _id: 1 })
    .skip(Math.max(0, surplus - 1))
    .limit(1)
    .toArray();
  return last?.placed ?? null;
}
