import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { importedFile } from './imported-file.js';

const CODE = /^(?!.*\.d\.ts$)(?!.*\.(test|spec)\.).*\.[cm]?[jt]s$/;

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
export const baseName = (file: string): string => file.replace(/^.*\//, '').replace(/\.[cm]?[jt]s$/, '');

const OUTSIDE = /['"`]((?:\.\.\/)+[^'"`\n]+)['"`]/g;
const BESIDE = /['"`](\.\.?\/[^'"`\n]+)['"`]/g;

/** The code outside `src` that the given files import, directly or indirectly; relative to the root. */
export async function importedFrom(root: string, files: readonly string[]): Promise<readonly string[]> {
  const found = new Set<string>();
  const pending = [...files];
  for (let file = pending.pop(); file !== undefined; file = pending.pop()) {
    const text = await readFile(join(root, file), 'utf8');
    for (const [, specifier = ''] of text.matchAll(file.startsWith('src/') ? OUTSIDE : BESIDE)) {
      const path = importedFile(join(root, file), specifier);
      const target = path === null ? '' : relative(root, path).split(sep).join('/');
      if (!CODE.test(target) || /^(?:src|\.\.|config|node_modules)\//.test(target) || found.has(target))
        continue;
      found.add(target);
      pending.push(target);
    }
  }
  return [...found];
}
