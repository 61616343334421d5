import { type Document, Long } from 'bson';
import type { Engine } from '../engine.js';
import type { Meter } from '../planner/meter.js';
import type { OpenCursor } from '../sessions/cursors.js';
import { keep } from '../storage/codec.js';
import { encodeDocument } from '../storage/encode.js';
import { checkSize, MAX_ROW_BYTES } from '../values/document-size.js';
import { drive, PAUSE, type Paced } from '../values/pace.js';
import { BatchReply } from './batch-reply.js';

/** A batch ends before it exceeds the size of a message. */
const BATCH_BYTES = 16 * 1024 * 1024;
const FIRST_BATCH = 101;
/** A message could contain half a million small documents, which would fill the heap and block everyone else. */
const NEXT_BATCH = 20_000;

const NO_CURSOR = Long.fromNumber(0);

function* pull(cursor: OpenCursor): Paced<Buffer | undefined> {
  const { held } = cursor;
  if (held !== undefined) {
    cursor.held = undefined;
    return held;
  }
  let next = cursor.rows.next();
  while (next.value === PAUSE) {
    yield PAUSE;
    next = cursor.rows.next();
  }
  if (next.done) return undefined;
  checkSize(next.value, MAX_ROW_BYTES);
  return next.value;
}

/** Adds the next rows of a cursor to a response. Returns whether there are no more. */
function* addRows(reply: BatchReply, cursor: OpenCursor, most: number): Paced<boolean> {
  // A first batch without documents opens the cursor without computing anything.
  if (most === 0) return false;
  while (reply.length < most) {
    const row = yield* pull(cursor);
    if (row === undefined) return true;
    if (reply.bytes + row.length > BATCH_BYTES && reply.length > 0) {
      cursor.held = keep(row);
      return false;
    }
    reply.add(row);
  }
  // One more is fetched, so that a result of exactly the batch size does not need a second request.
  const row = yield* pull(cursor);
  if (row === undefined) return true;
  cursor.held = keep(row);
  return false;
}

/** Results as a command produces them, for which a cursor is opened. */
type Results = Omit<OpenCursor, 'close' | 'lastUsed' | 'busy'> & { readonly close?: () => void };

/** The documents of a list as results. */
export const listed = (ns: string, documents: readonly Document[], meter: Meter): Results => ({
  ns,
  meter,
  rows: documents.map((document) => encodeDocument(document))[Symbol.iterator](),
});

/** Responds with a first batch; keeps the cursor if more may follow. */
export const firstBatch = (
  engine: Engine,
  results: Results,
  options: { batchSize?: number | undefined; single?: boolean },
  tail: object = {},
): Buffer | Promise<Buffer> => {
  const cursor: OpenCursor = { close: () => {}, ...results, lastUsed: Date.now(), busy: false };
  return drive(cursor.meter, takeFirst(engine, cursor, options, tail));
};

function* takeFirst(
  engine: Engine,
  cursor: OpenCursor,
  options: { batchSize?: number | undefined; single?: boolean },
  tail: object,
): Paced<Buffer> {
  let id = NO_CURSOR;
  let done: boolean;
  const reply = new BatchReply('firstBatch');
  try {
    done = yield* addRows(reply, cursor, options.batchSize ?? FIRST_BATCH);
  } catch (error) {
    cursor.close();
    throw error;
  }
  const stays = cursor.wait !== undefined || !done;
  if (stays && options.single !== true) id = engine.cursors.add(cursor);
  else cursor.close();
  const extras = cursor.extras?.(cursor.held !== undefined) ?? {};
  return reply.end({ id, ns: cursor.ns, ...extras }, { ...tail, ok: 1 });
}

/** Responds with a further batch of an open cursor. */
export const nextBatch = (
  engine: Engine,
  id: Long,
  cursor: OpenCursor,
  batchSize: number | undefined,
): Buffer | Promise<Buffer> => drive(cursor.meter, takeNext(engine, id, cursor, batchSize));

function* takeNext(
  engine: Engine,
  id: Long,
  cursor: OpenCursor,
  batchSize: number | undefined,
): Paced<Buffer> {
  let done: boolean;
  const reply = new BatchReply('nextBatch');
  try {
    done = yield* addRows(reply, cursor, batchSize || NEXT_BATCH);
  } catch (error) {
    engine.cursors.finish(id, cursor);
    throw error;
  }
  const ended = done && cursor.wait === undefined;
  if (ended) engine.cursors.finish(id, cursor);
  const extras = cursor.extras?.(cursor.held !== undefined) ?? {};
  return reply.end({ id: ended ? NO_CURSOR : id, ns: cursor.ns, ...extras }, { ok: 1 });
}

/** Whether a tailable cursor has something to send at once. */
export const hasRow = (cursor: OpenCursor): boolean | Promise<boolean> =>
  drive(cursor.meter, lookForRow(cursor));

function* lookForRow(cursor: OpenCursor): Paced<boolean> {
  const row = yield* pull(cursor);
  cursor.held = row && keep(row);
  return row !== undefined;
}
