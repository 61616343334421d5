/**
 * Reads rows as bytes. With the option `raw` alone, the driver would also leave those of an error undecoded, keep the
 * bytes of its `topologyVersion` as what it knows of the server, and fail with a `TypeError` at the next error.
 */
import { type Db, type Document, Long, type RunCommandOptions } from 'mongodb';

export interface RawBatch {
  /** The cursor's id; 0 if there are no more rows. */
  readonly id: Long;
  readonly rows: readonly Uint8Array[];
}

/** Options of a cursor whose rows remain bytes; the driver itself sets the second one only for `find`. */
export const RAW_ROWS = { raw: true, documentsReturnedIn: 'firstBatch' } as const;

/** The same for a command. */
const ROWS_ONLY = { raw: false, fieldsAsRaw: { firstBatch: true }, promoteLongs: false } as const;

/** The first batch of a command that creates a cursor, without a cursor of the driver. */
export async function readFirstBatch(
  db: Db,
  command: Document,
  options: RunCommandOptions,
): Promise<RawBatch> {
  const { cursor } = await db.command(command, { ...options, ...ROWS_ONLY });
  return { id: Long.fromValue(cursor.id), rows: cursor.firstBatch };
}
