import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { open, type RootDatabase } from 'lmdb';
import { EngineError } from '../errors.js';
import { checkDataFile } from './check-file.js';
import { KEY_CODEC, VALUE_CODEC } from './codec.js';
import { DataFolderError, reasonOf } from './data-folder.js';

/** The lmdb environment: one ordered table of bytes to bytes. */
export type Store = RootDatabase<Buffer, Buffer>;

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
    const store = open<Buffer, Buffer>({
      path: join(dataDir, 'data'),
      encoding: 'binary',
      encoder: VALUE_CODEC,
      keyEncoder: KEY_CODEC,
      cache: false,
      maxDbs: 1,
      maxReaders: 2048,
      overlappingSync: false,
      noSync: !durable,
    });
    chmodSync(file, 0o600);
    return store;
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
