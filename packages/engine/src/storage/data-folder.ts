import { mkdirSync } from 'node:fs';

const REASONS: Readonly<Record<string, string>> = {
  EACCES: 'it may not be read and written by this user',
  EPERM: 'it may not be read and written by this user',
  EROFS: 'it lies on a read-only file system',
  ENOTDIR: 'a part of its path is a file',
  EEXIST: 'it is a file, not a folder',
  ENOSPC: 'the disk is full',
};

/** A data folder that cannot be used, with one sentence that says why. */
export class DataFolderError extends Error {
  constructor(dataDir: string, reason: string, options?: ErrorOptions) {
    super(`The data folder ${dataDir} cannot be used: ${reason}`, options);
    this.name = 'DataFolderError';
  }
}

/** Why a folder cannot be used, as text. */
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

/** Creates the folder if it does not exist, accessible only to its owner. Throws `DataFolderError`. */
export function prepareFolder(dataDir: string): void {
  try {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw new DataFolderError(dataDir, reasonOf(error), { cause: error });
  }
}
