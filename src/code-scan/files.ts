import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';

const CODE = /^(?!.*\.d\.ts$)(?!.*\.(test|spec)\.).*\.([cm]?[jt]s|tsx)$/;

/** The code files in a folder, with subfolders if `deep`; relative to the root, with `/`, sorted. */
export async function codeIn(root: string, folder: string, deep = true): Promise<readonly string[]> {
  const place = join(root, folder);
  if (!existsSync(place)) return [];
  const entries = await readdir(place, { withFileTypes: true });
  const found: string[] = [];
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory() && deep && entry.name !== 'node_modules')
      found.push(...(await codeIn(root, path)));
    else if (entry.isFile() && CODE.test(entry.name)) found.push(path);
  }
  return found;
}

export async function foldersIn(root: string, folder: string): Promise<readonly string[]> {
  const place = join(root, folder);
  if (!existsSync(place)) return [];
  const entries = await readdir(place, { withFileTypes: true });
  return entries
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith('.'))
    .map((entry) => entry.name)
    .sort();
}

/** The file's name without extension. */
export const baseName = (file: string): string =>
  file.replace(/^.*\//, '').replace(/\.([cm]?[jt]s|tsx)$/, '');
