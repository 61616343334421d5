/** The reply of a command that gives a cursor, asked for with `raw`. */
import { asBuffer, eachMember, TYPE } from '../../values/bson-bytes.js';

export interface RawBatch {
  /** Of the cursor; 0: the end. */
  readonly id: bigint;
  readonly rows: readonly Uint8Array[];
}

/** @param cursor the member `cursor` of the reply */
export function rawBatch(cursor: Uint8Array): RawBatch {
  const bytes = asBuffer(cursor);
  const rows: Uint8Array[] = [];
  let id = 0n;
  eachMember(bytes, 0, (type, at) => {
    if (type === TYPE.long) id = bytes.readBigInt64LE(at);
    if (type === TYPE.array)
      eachMember(bytes, at, (_, rowAt) => rows.push(bytes.subarray(rowAt, rowAt + bytes.readInt32LE(rowAt))));
  });
  return { id, rows };
}
