import { chmodSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { open, type RootDatabase } from 'lmdb';
import { EngineError } from '../errors.js';
import { checkDataFile } from './check-file.js';
import { KEY_CODEC, VALUE_CODEC } from './codec.js';

/** The lmdb environment: one ordered table of bytes to bytes. */
export type Store = RootDatabase<Buffer, Buffer>;

const REASONS: Readonly<Record<string, string>> = {
  EACCES: 'it may not be read and written by this user',
  EPERM: 'it may not be read and written by this user',
  EROFS: 'it lies on a read-only file system',
  ENOTDIR: 'a part of its path is a file',
  EEXIST: 'it is a file, not a folder',
  ENOSPC: 'the disk is full',
};

/** A data folder that cannot serve, with one sentence that says why. */
export class DataFolderError extends Error {
  constructor(dataDir: string, reason: string, options?: ErrorOptions) {
    super(`The data folder ${dataDir} cannot be used: ${reason}`, options);
    this.name = 'DataFolderError';
  }
}

/** Why a folder cannot be used, in words. */
export function reasonOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  if (typeof code === 'string' && code in REASONS) return REASONS[code] as string;
  if (/permission|access/i.test(message)) return REASONS['EACCES'] as string;
  if (/no space/i.test(message)) return REASONS['ENOSPC'] as string;
  if (/invalid|corrupt|version mismatch|not an? lmdb|located|input\/output/i.test(message)) {
    return `its data file is damaged or not of this engine (${message.replace('invalid: ', '')})`;
  }
  return message;
}

/** Makes the folder if it is not there, open to its owner only. Throws `DataFolderError`. */
export function prepareFolder(dataDir: string): void {
  try {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw new DataFolderError(dataDir, reasonOf(error), { cause: error });
  }
}

/**
 * Opens the environment in a folder that this process owns. Each commit is flushed before it returns (lmdb's standard
 * protocol: data, flush, meta page), so a crash at any point leaves the last commit whole. Not durable: the flush is left to the
 * operating system, and only its crash can lose or damage anything. Throws `DataFolderError`.
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

/** What a failed commit answers: a full disk by name, anything else with lmdb's own words. */
export function storageError(error: unknown): EngineError {
  if (error instanceof EngineError) return error;
  const message = error instanceof Error ? error.message : String(error);
  const { code } = error as { code?: unknown };
  if (/no space|input\/output|file too large/i.test(message) || code === 5 || code === 28 || code === 27) {
    return new EngineError(14031, `the write was not stored: the disk is full or failing (${message})`);
  }
  return new EngineError('InternalError', message);
}
