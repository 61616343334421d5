import { type Document, Long, Timestamp } from 'bson';
import { documentReader } from '../values/byte-document.js';
import { encodeDocument } from './encode.js';
import { OPLOG_TABLE, tableKey, tableRange } from './layout.js';
import type { Store } from './store.js';
import type { ChangeRecord, Entry } from './view.js';

/** The key of a change by its number; numbers rise without gaps. */
export function changeKey(number: number): Buffer {
  const bytes = Buffer.allocUnsafe(8);
  bytes.writeBigUInt64BE(BigInt(number), 0);
  return tableKey(OPLOG_TABLE, bytes);
}

export const changeNumber = (key: Buffer): number => Number(key.readBigUInt64BE(4));

/** The part of the sequence of all changes that is stored, in bytes of values from the first change ever. */
export interface LogSpan {
  readonly start: number;
  readonly end: number;
}

/** A change as stored in the oplog; `start`: the bytes of all changes before it. */
export function encodeChange(
  number: number,
  change: ChangeRecord,
  start: number,
): { key: Buffer; value: Buffer } {
  const stored: Document = {
    t: Long.fromNumber(Date.now()),
    s: Long.fromNumber(start),
    o: change.type,
    d: change.db,
  };
  if (change.collection !== undefined) stored['c'] = change.collection;
  if (change.body !== undefined) stored['b'] = change.body;
  return { key: changeKey(number), value: encodeDocument(stored) };
}

const readStart = documentReader(new Set(['s']));

/** The bytes of all changes before a stored one; 0 for changes of older versions, which did not count them. */
const startOf = (value: Buffer): number => Number(readStart(value)['s'] ?? 0);

/** The last change that is stored, and the span of all that are. */
export function readLog(store: Store): { readonly lastChange: number; readonly span: LogSpan } {
  const { start, end } = tableRange(OPLOG_TABLE);
  for (const { key, value } of store.getRange({
    start: end,
    end: start,
    reverse: true,
    limit: 1,
    exclusiveStart: true,
  }))
    return { lastChange: changeNumber(key), span: { start: 0, end: startOf(value) + value.length } };
  return { lastChange: 0, span: { start: 0, end: 0 } };
}

/** The most changes that one commit removes: more than it usually adds, so that the log shrinks if its limit does. */
const MOST_REMOVED = 1000;

/** The oldest changes, to be removed from a log that is to have no more than some bytes, and its span without them. */
export function oldestChanges(
  entries: Iterable<Entry>,
  { end }: LogSpan,
  bytes: number,
): { readonly keys: readonly Buffer[]; readonly span: LogSpan } {
  const keys: Buffer[] = [];
  let start = end;
  for (const { key, value } of entries) {
    start = startOf(value);
    const isLast = start + value.length === end;
    if (isLast || end - start <= bytes || keys.length === MOST_REMOVED) break;
    keys.push(key);
  }
  return { keys, span: { start, end } };
}

/** A logical time that increases with each call, in seconds and an ordinal. */
export function clusterTime(milliseconds: number, ordinal: number): Timestamp {
  return new Timestamp({ t: Math.floor(milliseconds / 1000), i: (ordinal % 0x7fffffff) + 1 });
}
