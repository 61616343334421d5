/**
 * Everything is in one ordered key space: each key is a table number (4 bytes, big-endian) and what the kind of table adds. Each
 * collection and each index is a table; the first sixteen belong to the engine.
 */
export const META_TABLE = 0;
export const OPLOG_TABLE = 1;
export const RETRY_TABLE = 2;
/** A table that stays empty: for what is shown as a collection but has no records. */
export const EMPTY_TABLE = 15;
export const FIRST_FREE_TABLE = 16;

const RECORD_BYTES = 6;

/** The key of a record: table and record number (at most 2^48 records per collection, ever). */
export function recordKey(table: number, record: number): Buffer {
  const key = Buffer.allocUnsafe(4 + RECORD_BYTES);
  key.writeUInt32BE(table, 0);
  key.writeUIntBE(record, 4, RECORD_BYTES);
  return key;
}

/** The record number at the end of a record's key or of an index entry. */
export const recordOf = (key: Buffer): number => key.readUIntBE(key.length - RECORD_BYTES, RECORD_BYTES);

/** A record number as the value of a unique index's entry. */
export function recordBytes(record: number): Buffer {
  const bytes = Buffer.allocUnsafe(RECORD_BYTES);
  bytes.writeUIntBE(record, 0, RECORD_BYTES);
  return bytes;
}

/** A key in a table: the table's number and more bytes. */
export function tableKey(table: number, ...parts: readonly Uint8Array[]): Buffer {
  const head = Buffer.allocUnsafe(4);
  head.writeUInt32BE(table, 0);
  return Buffer.concat([head, ...parts]);
}

/** The span of a whole table. */
export function tableRange(table: number): { start: Buffer; end: Buffer } {
  return { start: tableKey(table), end: tableKey(table + 1) };
}
