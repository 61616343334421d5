import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describeTypes, MADE_BY } from '../describe/types.js';
import type { Schema } from '../schema/types.js';

/** How deep in the project's folders to look for declaration files. */
const DEPTH = 2;
const NOT_ENTERED = new Set(['node_modules', 'dist', 'public']);

/** The declaration files that `mangrove types` has written in a project, as relative paths. */
async function madeBefore(root: string, folder = '', depth = 0): Promise<readonly string[]> {
  const found: string[] = [];
  for (const entry of await readdir(join(root, folder), { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory() && depth < DEPTH && !entry.name.startsWith('.') && !NOT_ENTERED.has(entry.name))
      found.push(...(await madeBefore(root, path, depth + 1)));
    if (
      entry.isFile() &&
      entry.name.endsWith('.d.ts') &&
      (await readText(join(root, path))).startsWith(MADE_BY)
    )
      found.push(path);
  }
  return found;
}

const readText = (file: string): Promise<string> => readFile(file, 'utf8').catch(() => '');

/**
 * Updates the declaration files that exist, and `wanted`.
 * @returns the files that changed, relative to the project
 */
export async function writeTypes(
  root: string,
  schema: Schema,
  wanted: string | null,
): Promise<readonly string[]> {
  const files = new Set([...(await madeBefore(root)), ...(wanted === null ? [] : [wanted])]);
  const text = describeTypes(schema);
  const changed: string[] = [];
  for (const file of files) {
    if ((await readText(join(root, file))) === text) continue;
    await writeFile(join(root, file), text);
    changed.push(file);
  }
  return changed;
}
