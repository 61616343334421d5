import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { PlainObject } from '../values/plain-object.js';

interface File {
  /** Its path in the folder. */
  readonly path: string;
  readonly content: PlainObject;
}

/**
 * Writes files that refer to each other. All are written under another name first: if one of them cannot be written, or
 * the process is stopped meanwhile, none is there.
 */
export async function writeTogether(folder: string, files: readonly File[]): Promise<void> {
  const places = files.map(({ path, content }) => ({ place: join(folder, path), content }));
  try {
    for (const { place, content } of places) {
      await mkdir(dirname(place), { recursive: true });
      await writeFile(`${place}.new`, `${JSON.stringify(content, null, 2)}\n`);
    }
  } catch (error) {
    for (const { place } of places) await rm(`${place}.new`, { force: true }).catch(() => undefined);
    throw error;
  }
  for (const { place } of places) await rename(`${place}.new`, place);
}
