import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { type Database, open, type RootDatabase } from 'lmdb';
import { EngineError } from '../errors.js';
import { checkDataFile } from './check-file.js';
import { COPYING, KEY_CODEC, LENDING } from './codec.js';
import { DataFolderError, reasonOf } from './data-folder.js';

/** The lmdb environment: one ordered table of bytes to bytes. */
export interface Store extends RootDatabase<Buffer, Buffer> {
  /** The same table, whose values are read without being copied. */
  readonly lending: Database<Buffer, Buffer>;
}

/** lmdb's name of the table that has none; its types do not know it. */
const MAIN = null as unknown as string;

/**
 * Opens the environment in a folder that this process owns. Each commit is flushed before it returns (lmdb's standard protocol:
 * data, flush, meta page), so a crash at any point leaves the last commit whole. If not durable, the flush is left to the
 * operating system, and only its crash can lose or damage data. Throws `DataFolderError`.
 */
export function openStore(dataDir: string, durable: boolean): Store {
  const file = join(dataDir, 'data', 'data.mdb');
  try {
    const problem = checkDataFile(file);
    if (problem !== undefined) throw new Error(`invalid: ${problem}`);
    const table = { encoding: 'binary', keyEncoder: KEY_CODEC, cache: false } as const;
    const store = open<Buffer, Buffer>({
      ...table,
      path: join(dataDir, 'data'),
      encoder: COPYING,
      maxDbs: 1,
      maxReaders: 2048,
      overlappingSync: false,
      noSync: !durable,
    });
    chmodSync(file, 0o600);
    const lending = { ...table, encoder: LENDING };
    return Object.assign(store, { lending: store.openDB<Buffer, Buffer>(MAIN, lending) });
  } catch (error) {
    throw new DataFolderError(dataDir, reasonOf(error), { cause: error });
  }
}

/** The error of a failed commit: a full disk by name, anything else in lmdb's words. */
export function storageError(error: unknown): EngineError {
  if (error instanceof EngineError) return error;
  const message = error instanceof Error ? error.message : String(error);
  const { code } = error as { code?: unknown };
  if (/no space|input\/output|file too large/i.test(message) || code === 5 || code === 28 || code === 27) {
    return new EngineError(14031, `the write was not stored: the disk is full or failing (${message})`);
  }
  return new EngineError('InternalError', message);
}
