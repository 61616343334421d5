/**
 * Reads the events of `mangrove.outbox` in order, and can resume after any of them. A server with change streams
 * provides the order of the commits; a standalone server has none, so there the reader numbers the events.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import {
  BSON,
  type ChangeStreamInsertDocument,
  type Db,
  type Document,
  MongoError,
  Timestamp,
} from 'mongodb';
import { errors } from '../../errors.js';
import { databaseTime } from '../connection/database-time.js';
import { detectDeployment } from '../connection/deployment.js';
import { isHistoryLost } from '../connection/history-lost.js';
import type { Store } from '../connection/store.js';
import { isUnavailable } from '../connection/unavailable.js';
import { numberEvents } from './number-events.js';
import { type ChangedVersion, type ChangeEvent, type Origin, OUTBOX, type PlacedEvent } from './outbox.js';
import { isKept } from './retention.js';

/** What a write did to one entry. */
export interface Change
  extends Pick<ChangeEvent, 'at' | 'event' | 'uid' | 'documentId' | 'locale' | 'id'>,
    Origin {
  /**
   * The versions of the entry that the write changed, each with its revision before and after; empty if they are
   * not known, as in collections of other programs.
   */
  readonly versions: readonly ChangedVersion[];
  /** The write was to another entry, and changed this one as well. */
  readonly indirect: boolean;
  /** The same whenever this change is read, and of no other: 24 hexadecimal digits. */
  readonly changeId: string;
  /** Where to continue after this change: the `after` of a later read. */
  readonly position: string;
}

export interface ReadChangesOptions {
  /** The position of the last change that was processed; absent or null: from now on. */
  readonly after?: string | null;
  /** Only changes of these content types. */
  readonly uids?: readonly string[];
  /** Ends the iteration when aborted. */
  readonly signal?: AbortSignal;
  /** Milliseconds between polls of a server without change streams; 500 if absent. */
  readonly every?: number;
}

/** The same, with nothing left open. */
interface Reading {
  readonly db: Db;
  readonly uids: readonly string[] | null;
  readonly signal: AbortSignal;
  readonly every: number;
}

/**
 * The changes of content as they are committed, endlessly: each at least once, those of a document in order. A
 * failover is waited for. Throws a 400 if the position is invalid or the changes after it are no longer kept, and
 * the database's error if it is unavailable for a minute.
 */
export async function* readChanges(
  { db }: Pick<Store, 'db'>,
  { after = null, uids, signal = new AbortController().signal, every = 500 }: ReadChangesOptions = {},
): AsyncGenerator<Change, void, undefined> {
  const reading: Reading = { db, uids: uids ?? null, signal, every };
  const start = after === null ? null : readPosition(after);
  const isWatched = (await detectDeployment(db)) !== 'standalone';
  if (start && (isWatched ? start.token : start.number) === undefined) throw lost();
  let next = start ?? (await positionNow(db, isWatched));
  let follow = isWatched ? watched : polled;
  let failingSince: number | null = null;
  while (!signal.aborted)
    try {
      for await (const [event, position] of follow(reading, next)) {
        failingSince = null;
        next = position;
        if (event) yield changeOf(event, position);
      }
      follow = isWatched ? watched : polled;
    } catch (error) {
      if (signal.aborted) return;
      if (follow === watched && isLost(error)) {
        follow = stored;
        continue;
      }
      failingSince ??= performance.now();
      if (!isUnavailable(error) || performance.now() - failingSince > PATIENCE) throw error;
      await sleep(PAUSE, undefined, { signal }).catch(() => undefined);
    }
}

/** Where a reader continues that begins now. */
export async function currentPosition({ db }: Pick<Store, 'db'>): Promise<string> {
  return writePosition(await positionNow(db, (await detectDeployment(db)) !== 'standalone'));
}

/** Milliseconds for which an unavailable database is waited for, and between attempts. */
const [PATIENCE, PAUSE] = [60_000, 500];

const changeOf = (event: ChangeEvent, position: Position): Change => ({
  at: event.at,
  event: event.event,
  uid: event.uid,
  documentId: event.documentId,
  locale: event.locale,
  id: event.id,
  versions: event.versions ?? [],
  indirect: event.indirect ?? false,
  by: event.by ?? { kind: 'unknown' },
  requestId: event.requestId ?? null,
  changeId: event._id.toHexString(),
  position: writePosition(position),
});

/**
 * After an event: on a server with change streams its token and when it was placed; otherwise its number.
 */
interface Position {
  readonly token?: unknown;
  readonly placed?: Timestamp | undefined;
  readonly number?: number;
}

const writePosition = (position: Position): string =>
  Buffer.from(BSON.serialize(position)).toString('base64url');

const lost = () =>
  errors.validation(
    'position-lost',
    'The events after this position have been deleted: read the content again, then continue from now',
  );

function readPosition(text: string): Position {
  try {
    return BSON.deserialize(Buffer.from(text, 'base64url'));
  } catch {
    throw lost();
  }
}

async function positionNow(db: Db, isWatched: boolean): Promise<Position> {
  if (!isWatched) return { number: await numberEvents(db) };
  const stream = db.collection(OUTBOX).watch([insertsOf(null)]);
  try {
    await stream.tryNext();
    const now = await databaseTime(db);
    return {
      token: stream.resumeToken,
      placed: new Timestamp({ t: Math.floor(Number(now) / 1000), i: 0 }),
    };
  } finally {
    await stream.close();
  }
}

/** Server codes for a malformed resume token. */
const MALFORMED: ReadonlySet<unknown> = new Set([9, 14, 50811]);
const isLost = (error: unknown): boolean =>
  isHistoryLost(error) || (error instanceof MongoError && MALFORMED.has(error.code));

type Insert = ChangeStreamInsertDocument<PlacedEvent>;

const insertsOf = (uids: readonly string[] | null): Document => ({
  $match: { operationType: 'insert', ...(uids && { 'fullDocument.uid': { $in: [...uids] } }) },
});

/** Events, each with the position after it; null: the position has changed without one. */
type Followed = AsyncGenerator<readonly [event: ChangeEvent | null, position: Position]>;

/** Milliseconds between two questions for events, so that many that come soon after one another are one answer. */
const GATHER = 25;

async function* watched({ db, uids, signal }: Reading, { token }: Position): Followed {
  // Not `watch`, which does not tell what has arrived already. It would resume by itself where `readChanges` does.
  const events = db
    .collection(OUTBOX)
    .aggregate<Insert>([
      { $changeStream: token === undefined ? {} : { resumeAfter: token } },
      insertsOf(uids),
    ]);
  const close = () => void events.close().catch(() => undefined);
  signal.addEventListener('abort', close, { once: true });
  try {
    for (let askedAt = Number.NEGATIVE_INFINITY; !signal.aborted; ) {
      if (events.bufferedCount() === 0) {
        const rest = askedAt + GATHER - performance.now();
        if (rest > 0) await sleep(rest, undefined, { signal });
        askedAt = performance.now();
      }
      const change = await events.next();
      // The collection was dropped.
      if (!change) throw lost();
      yield [change.fullDocument, { token: change._id, placed: change.fullDocument.placed }];
    }
  } finally {
    signal.removeEventListener('abort', close);
    await events.close();
  }
}

/**
 * Seconds before a position in which events may have been placed that were committed after it: the time limit of
 * a transaction.
 */
const OVERLAP = 60;

/**
 * The events after one that the server's history no longer reaches, as they are stored: some that were read before
 * are read again.
 */
async function* stored({ db, uids }: Reading, { token, placed }: Position): Followed {
  if (!placed || !(await isKept(db, placed))) throw lost();
  // First, so that nothing is missed between the events that are stored and those that follow.
  const next = await positionNow(db, true);
  const since = new Timestamp({ t: Math.max(0, placed.t - OVERLAP), i: 0 });
  const events = db
    .collection<PlacedEvent>(OUTBOX)
    .find({ placed: { $gte: since }, ...(uids && { uid: { $in: [...uids] } }) })
    .sort({ placed: 1, _id: 1 });
  for await (const event of events) yield [event, { token, placed: event.placed }];
  yield [null, next];
}

const BATCH = 100;

type Numbered = PlacedEvent & { readonly number: number };

async function* polled({ db, uids, signal, every }: Reading, { number: after = 0 }: Position): Followed {
  const events = db.collection<Numbered>(OUTBOX);
  let upTo = await numberEvents(db);
  const [first] = await events
    .find({ number: { $gt: after, $lte: upTo } })
    .sort({ number: 1 })
    .limit(1)
    .toArray();
  if (after > upTo || (first ? first.number > after + 1 : after < upTo)) throw lost();
  for (let last = after; !signal.aborted; upTo = await numberEvents(db)) {
    const found = await events
      .find({ number: { $gt: last, $lte: upTo }, ...(uids && { uid: { $in: [...uids] } }) })
      .sort({ number: 1 })
      .limit(BATCH)
      .toArray();
    for (const { number, placed, ...event } of found) {
      last = number;
      yield [event, { number }];
    }
    if (found.length === BATCH) continue;
    last = upTo;
    yield [null, { number: last }];
    await sleep(every, undefined, { signal }).catch(() => undefined);
  }
}
