import { randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { copyFile, mkdir, rename, rm, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { Readable } from 'node:stream';
import { codeOf } from '../values/code-of.js';
import type { Provider } from './types.js';

const isMissing = (error: unknown): boolean =>
  ['ENOENT', 'ENOTDIR', 'ENAMETOOLONG'].includes(String(codeOf(error)));

/** A file name without a path, not hidden. */
const isPlain = (key: string): boolean =>
  key !== '' && !key.startsWith('.') && basename(key) === key && !/[\\\0]/.test(key);

/** Files in one folder, `public/uploads` of the project, which is created with the first file. */
export const diskProvider = (folder: string): Provider => {
  const pathOf = (key: string): string => {
    if (!isPlain(key)) throw new TypeError(`"${key}" is not a valid name for an uploaded file`);
    return join(folder, key);
  };
  return {
    name: 'local',
    async save(key, path) {
      await mkdir(folder, { recursive: true });
      // Readers see either the old file or the new one.
      const partial = join(folder, `.${randomUUID()}`);
      try {
        await copyFile(path, partial);
        await rename(partial, pathOf(key));
      } catch (error) {
        await rm(partial, { force: true });
        throw error;
      }
    },
    remove: (key) => rm(pathOf(key), { force: true }),
    async find(key) {
      if (!isPlain(key)) return null;
      const path = pathOf(key);
      const stats = await stat(path).catch((error: unknown) => {
        if (isMissing(error)) return null;
        throw error;
      });
      if (!stats?.isFile()) return null;
      return {
        size: stats.size,
        modified: stats.mtime,
        // Never more than was found, if a larger file replaces it meanwhile: the length has been said.
        read: (start = 0, end = stats.size - 1) =>
          stats.size === 0 ? Readable.from([]) : createReadStream(path, { start, end }),
      };
    },
  };
};
