import { chmodSync, existsSync, mkdirSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { fail } from '../errors.js';
import { reasonOf } from '../storage/data-folder.js';
import { storageError } from '../storage/store.js';
import type { Command } from './operation.js';

/**
 * Writes the current committed state to a new folder, as `data/data.mdb`: a data folder that an engine can serve. Readers and
 * writers continue meanwhile. MongoDB has no such command: its servers are backed up by other programs.
 */
export const backup: Command = async ({ engine, body }) => {
  const folder: unknown = body['backup'];
  if (typeof folder !== 'string' || !isAbsolute(folder)) fail('BadValue', 'backup takes an absolute path');
  const data = join(folder, 'data');
  if (existsSync(data)) fail('BadValue', `${data} is there already`);
  try {
    mkdirSync(data, { recursive: true, mode: 0o700 });
  } catch (error) {
    fail('BadValue', `${folder} cannot be written: ${reasonOf(error)}`);
  }
  // Everything acknowledged is flushed; the copy is one read transaction.
  await engine.store.backup(data, true).catch((error: unknown) => {
    throw storageError(error);
  });
  chmodSync(join(data, 'data.mdb'), 0o600);
  return { folder };
};
