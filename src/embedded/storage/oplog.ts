import { type Document, Long, Timestamp } from 'bson';
import { encodeDocument } from './encode.js';
import { OPLOG_TABLE, tableKey } from './layout.js';
import type { ChangeRecord } from './view.js';

/** The key of a change by its number; numbers rise without gaps. */
export function changeKey(number: number): Buffer {
  const bytes = Buffer.allocUnsafe(8);
  bytes.writeBigUInt64BE(BigInt(number), 0);
  return tableKey(OPLOG_TABLE, bytes);
}

export const changeNumber = (key: Buffer): number => Number(key.readBigUInt64BE(4));

/** A change as stored in the oplog. */
export function encodeChange(number: number, change: ChangeRecord): { key: Buffer; value: Buffer } {
  const stored: Document = { t: Long.fromNumber(Date.now()), o: change.type, d: change.db };
  if (change.collection !== undefined) stored['c'] = change.collection;
  if (change.body !== undefined) stored['b'] = change.body;
  return { key: changeKey(number), value: encodeDocument(stored) };
}

/** A logical time that increases with each call, in seconds and an ordinal. */
export function clusterTime(milliseconds: number, ordinal: number): Timestamp {
  return new Timestamp({ t: Math.floor(milliseconds / 1000), i: (ordinal % 0x7fffffff) + 1 });
}
