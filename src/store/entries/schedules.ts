/**
 * Actions that are carried out later (docs/in-time.md, "Scheduled"). A schedule is removed in the commit of what it
 * does, so it is carried out once, whoever dies at whatever moment.
 */
import { createHash } from 'node:crypto';
import type { Collection, Db, ObjectId } from 'mongodb';
import { databaseTime } from '../connection/database-time.js';
import type { Author } from '../outbox/outbox.js';

export const SCHEDULED = 'mangrove.scheduled';

export type ScheduledAction = 'publish' | 'unpublish';

/** What is to be done with a document in one locale; there is at most one schedule for it. */
export interface ScheduledFor {
  readonly uid: string;
  readonly documentId: string;
  readonly locale: string | null;
  readonly action: ScheduledAction;
}

export interface StoredSchedule extends ScheduledFor {
  /** See `scheduleId`. */
  readonly _id: string;
  readonly _rev: ObjectId;
  /** Not before this time, by the clock of the database. */
  readonly at: Date;
  /** Who scheduled it. */
  readonly by: Author;
  readonly createdAt: Date;
  /** Why it was refused when it was due, after which it is not tried again; null: it is still to come. */
  readonly error: ScheduleError | null;
}

export interface ScheduleError {
  readonly name: string;
  readonly message: string;
}

/** The same for everything that replaces the schedule. It never begins with a hyphen, as the command line takes it. */
export const scheduleId = ({ uid, documentId, locale, action }: ScheduledFor): string =>
  createHash('sha256')
    .update(JSON.stringify([uid, documentId, locale, action]))
    .digest('hex')
    .slice(0, 24);

const TO_COME = { error: null };

const schedules = (db: Db): Collection<StoredSchedule> => db.collection<StoredSchedule>(SCHEDULED);

/** Also creates the collection, which a transaction cannot do everywhere. */
export async function indexSchedules(db: Db): Promise<void> {
  await schedules(db).createIndexes([
    { key: { error: 1, at: 1, action: 1 }, name: 'to come' },
    { key: { documentId: 1 }, name: 'documentId' },
  ]);
}

/** All that are listed by `filter`, the next one first. */
export const findSchedules = (
  db: Db,
  filter: Partial<Pick<StoredSchedule, 'uid' | '_id'>> = {},
): Promise<StoredSchedule[]> => schedules(db).find(filter).sort({ at: 1, action: 1 }).toArray();

/**
 * Those that are due by the clock of the database, which all processes share. Of the same time, publishing comes before
 * unpublishing.
 */
export async function dueSchedules(db: Db, limit: number): Promise<StoredSchedule[]> {
  const next = await schedules(db).findOne(TO_COME, { sort: { at: 1 }, projection: { at: 1 } });
  if (!next) return [];
  const now = await databaseTime(db);
  if (next.at > now) return [];
  return schedules(db)
    .find({ ...TO_COME, at: { $lte: now } })
    .sort({ at: 1, action: 1 })
    .limit(limit)
    .toArray();
}

/** What of a type is due by a time, in the order in which it will be carried out. */
export const schedulesUntil = (
  db: Db,
  uid: string,
  at: Date,
  limit: number,
): Promise<Pick<StoredSchedule, 'documentId' | 'locale' | 'action'>[]> =>
  schedules(db)
    .find({ ...TO_COME, at: { $lte: at }, uid })
    .project<Pick<StoredSchedule, 'documentId' | 'locale' | 'action'>>({
      documentId: 1,
      locale: 1,
      action: 1,
    })
    .sort({ at: 1, action: 1 })
    .limit(limit)
    .toArray();

/** Notes that a schedule was refused. False if it has been changed or cancelled meanwhile. */
export async function failSchedule(
  db: Db,
  { _id, _rev }: Pick<StoredSchedule, '_id' | '_rev'>,
  error: ScheduleError,
): Promise<boolean> {
  const { matchedCount } = await schedules(db).updateOne({ _id, _rev }, { $set: { error } });
  return matchedCount === 1;
}
