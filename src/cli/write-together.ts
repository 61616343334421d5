import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { PlainObject } from '../values/plain-object.js';

interface File {
  /** Its path in the folder. */
  readonly path: string;
  readonly content: PlainObject;
}

/**
 * Writes files that refer to each other. All are written to a hidden folder first, and then moved: if one of them cannot
 * be written, or the process is stopped while it writes, none is there.
 */
export async function writeTogether(folder: string, files: readonly File[]): Promise<void> {
  const hidden = await mkdtemp(join(folder, '.new-'));
  try {
    for (const [at, { content }] of files.entries())
      await writeFile(join(hidden, String(at)), `${JSON.stringify(content, null, 2)}\n`);
    for (const { path } of files) await mkdir(dirname(join(folder, path)), { recursive: true });
    for (const [at, { path }] of files.entries()) await rename(join(hidden, String(at)), join(folder, path));
  } finally {
    await rm(hidden, { recursive: true, force: true });
  }
}
