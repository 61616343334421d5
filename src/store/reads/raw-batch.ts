/** The response to a cursor command with the option `raw`. */
import { asBuffer, eachMember, TYPE } from '../../values/bson-bytes.js';

export interface RawBatch {
  /** The cursor's id; 0 if there are no more rows. */
  readonly id: bigint;
  readonly rows: readonly Uint8Array[];
}

/** @param cursor the member `cursor` of the response */
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
