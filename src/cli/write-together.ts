import { existsSync } from 'node:fs';
import { mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import type { PlainObject } from '../values/plain-object.js';

interface File {
  /** Its path in the folder. */
  readonly path: string;
  readonly content: PlainObject;
}

/** The folder in which files are written, and its name as soon as all of them are there. */
const WRITING = '.mangrove-writing';
const WRITTEN = '.mangrove-written';

/**
 * Writes files that refer to each other. All are written to a hidden folder first, and then moved: if one of them cannot
 * be written, or the process is stopped while it writes, none is there; if it is stopped while it moves them,
 * `finishWriting` moves the others.
 */
export async function writeTogether(folder: string, files: readonly File[]): Promise<void> {
  const writing = join(folder, WRITING);
  await rm(writing, { recursive: true, force: true });
  try {
    for (const { path, content } of files) {
      const file = join(writing, path);
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, `${JSON.stringify(content, null, 2)}\n`);
    }
    for (const { path } of files) await mkdir(dirname(join(folder, path)), { recursive: true });
    if (files.length > 0) await rename(writing, join(folder, WRITTEN));
  } finally {
    await rm(writing, { recursive: true, force: true });
  }
  await finishWriting(folder);
}

/** Moves the files that a process has written and, being stopped, not all moved. */
export async function finishWriting(folder: string): Promise<void> {
  const written = join(folder, WRITTEN);
  if (!existsSync(written)) return;
  const found = await readdir(written, { recursive: true, withFileTypes: true });
  for (const file of found.filter((each) => each.isFile())) {
    const from = join(file.parentPath, file.name);
    const to = join(folder, relative(written, from));
    await mkdir(dirname(to), { recursive: true });
    await rename(from, to);
  }
  await rm(written, { recursive: true, force: true });
}
