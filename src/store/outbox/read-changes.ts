/**
 * Reads the events of `mangrove.outbox` in order, each once, and can resume after any of them. A server with
 * change streams provides the order of the commits; a standalone server has none, so there the reader numbers
 * the events.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { BSON, type ChangeStreamInsertDocument, MongoError, type Timestamp } from 'mongodb';
import { errors } from '../../errors.js';
import { detectDeployment } from '../connection/deployment.js';
import { isHistoryLost } from '../connection/history-lost.js';
import type { Store } from '../connection/store.js';
import { numberEvents } from './number-events.js';
import { type ChangeEvent, OUTBOX } from './outbox.js';

export interface Change {
  readonly event: ChangeEvent;
  /** Where to resume after this event. */
  readonly position: string;
}

interface ReadChangesOptions {
  /** Position of the last event that was processed; null: from now on. */
  readonly after: string | null;
  /** Ends the stream when aborted. */
  readonly signal: AbortSignal;
  /** Milliseconds between polls of a server without change streams; 500 if absent. */
  readonly every?: number;
}

/**
 * An endless stream of events. Throws a 400 if the position is invalid or the events after it are no longer
 * kept.
 */
export async function* readChanges(store: Store, options: ReadChangesOptions): AsyncGenerator<Change> {
  const deployment = await detectDeployment(store.db);
  const start = options.after === null ? null : readPosition(options.after);
  yield* deployment === 'standalone' ? polled(store, start, options) : watched(store, start, options);
}

/** A resume token of a change stream, or the number of an event. */
interface Position {
  readonly token?: unknown;
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

/** Server codes for a malformed resume token. */
const MALFORMED: ReadonlySet<unknown> = new Set([9, 14, 50811]);
const isLost = (error: unknown): boolean =>
  isHistoryLost(error) || (error instanceof MongoError && MALFORMED.has(error.code));

async function* watched(
  { db }: Store,
  start: Position | null,
  { signal }: ReadChangesOptions,
): AsyncGenerator<Change> {
  if (start && start.token === undefined) throw lost();
  const stream = db
    .collection<ChangeEvent>(OUTBOX)
    .watch<ChangeEvent, ChangeStreamInsertDocument<ChangeEvent>>(
      [{ $match: { operationType: 'insert' } }],
      start ? { resumeAfter: start.token } : {},
    );
  const close = () => void stream.close();
  signal.addEventListener('abort', close, { once: true });
  try {
    while (!signal.aborted) {
      const change = await stream.next();
      yield { event: change.fullDocument, position: writePosition({ token: change._id }) };
    }
  } catch (error) {
    if (signal.aborted) return;
    throw isLost(error) ? lost() : error;
  } finally {
    signal.removeEventListener('abort', close);
    await stream.close();
  }
}

const BATCH = 100;

async function* polled(
  { db }: Store,
  start: Position | null,
  { signal, every = 500 }: ReadChangesOptions,
): AsyncGenerator<Change> {
  if (start && typeof start.number !== 'number') throw lost();
  let last = start?.number ?? (await numberEvents(db));
  while (!signal.aborted) {
    const upTo = await numberEvents(db);
    const found = await db
      .collection<ChangeEvent & { readonly number: number; readonly placed?: Timestamp }>(OUTBOX)
      .find({ number: { $gt: last, $lte: upTo } })
      .sort({ number: 1 })
      .limit(BATCH)
      .toArray();
    for (const { number, placed, ...event } of found) {
      if (start && last === start.number && number > last + 1) throw lost();
      last = number;
      yield { event, position: writePosition({ number }) };
    }
    if (found.length < BATCH) await sleep(every, undefined, { signal }).catch(() => undefined);
  }
}
