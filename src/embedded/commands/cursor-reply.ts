import { type Document, Long } from 'bson';
import type { Engine } from '../engine.js';
import type { Meter } from '../planner/meter.js';
import type { OpenCursor } from '../sessions/cursors.js';
import { encodeDocument } from '../storage/encode.js';
import { checkSize, MAX_ROW_BYTES } from '../values/document-size.js';
import { drive, PAUSE, type Paced } from '../values/pace.js';

/** A batch ends before it exceeds the size of a message. */
const BATCH_BYTES = 16 * 1024 * 1024;
const FIRST_BATCH = 101;
/** A message could contain half a million small documents, which would fill the heap and block everyone else. */
const NEXT_BATCH = 20_000;

const NO_CURSOR = Long.fromNumber(0);

interface Batch {
  readonly rows: readonly Buffer[];
  readonly done: boolean;
}

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

function* takeBatch(cursor: OpenCursor, most: number): Paced<Batch> {
  const rows: Buffer[] = [];
  // A first batch without documents opens the cursor without computing anything.
  if (most === 0) return { rows, done: false };
  let bytes = 0;
  while (rows.length < most) {
    const row = yield* pull(cursor);
    if (row === undefined) return { rows, done: true };
    if (bytes + row.length > BATCH_BYTES && rows.length > 0) {
      cursor.held = row;
      return { rows, done: false };
    }
    bytes += row.length;
    rows.push(row);
  }
  // One more is fetched, so that a result of exactly the batch size does not need a second request.
  const row = cursor.held ?? (yield* pull(cursor));
  if (row === undefined) return { rows, done: true };
  cursor.held = row;
  return { rows, done: false };
}

const indexName = (i: number): string => `\x03${i}\0`;

/** The BSON bytes of `{cursor: {<field>: [rows], …rest}, …tail}`, with the rows copied unchanged. */
function encodeBatch(field: string, rows: readonly Buffer[], rest: object, tail: object): Buffer {
  const restBytes = encodeDocument(rest).subarray(4);
  const tailBytes = encodeDocument(tail).subarray(4);
  let rowBytes = 0;
  for (let i = 0; i < rows.length; i++) rowBytes += (rows[i] as Buffer).length + 2 + String(i).length;
  const arraySize = 4 + rowBytes + 1;
  const cursorSize = 4 + 1 + field.length + 1 + arraySize + restBytes.length;
  const total = 4 + 8 + cursorSize + tailBytes.length;
  const out = Buffer.allocUnsafe(total);
  let at = out.writeInt32LE(total, 0);
  at += out.write('\x03cursor\0', at, 'latin1');
  at = out.writeInt32LE(cursorSize, at);
  at += out.write(`\x04${field}\0`, at, 'latin1');
  at = out.writeInt32LE(arraySize, at);
  for (let i = 0; i < rows.length; i++) {
    at += out.write(indexName(i), at, 'latin1');
    at += (rows[i] as Buffer).copy(out, at);
  }
  out[at++] = 0;
  at += restBytes.copy(out, at);
  tailBytes.copy(out, at);
  return out;
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
  let batch: Batch;
  try {
    batch = yield* takeBatch(cursor, options.batchSize ?? FIRST_BATCH);
  } catch (error) {
    cursor.close();
    throw error;
  }
  const stays = cursor.wait !== undefined || !batch.done;
  if (stays && options.single !== true) id = engine.cursors.add(cursor);
  else cursor.close();
  const extras = cursor.extras?.(cursor.held !== undefined) ?? {};
  return encodeBatch('firstBatch', batch.rows, { id, ns: cursor.ns, ...extras }, { ...tail, ok: 1 });
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
  let batch: Batch;
  try {
    batch = yield* takeBatch(cursor, batchSize || NEXT_BATCH);
  } catch (error) {
    engine.cursors.finish(id, cursor);
    throw error;
  }
  const ended = batch.done && cursor.wait === undefined;
  if (ended) engine.cursors.finish(id, cursor);
  const extras = cursor.extras?.(cursor.held !== undefined) ?? {};
  return encodeBatch(
    'nextBatch',
    batch.rows,
    { id: ended ? NO_CURSOR : id, ns: cursor.ns, ...extras },
    { ok: 1 },
  );
}

/** Whether a tailable cursor has something to send at once. */
export const hasRow = (cursor: OpenCursor): boolean | Promise<boolean> =>
  drive(cursor.meter, lookForRow(cursor));

function* lookForRow(cursor: OpenCursor): Paced<boolean> {
  cursor.held ??= yield* pull(cursor);
  return cursor.held !== undefined;
}
