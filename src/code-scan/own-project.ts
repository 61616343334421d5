import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { baseName, codeIn } from './files.js';

const IMPORTED = /(\bfrom\s*|\brequire\(\s*|\bimport\(\s*)['"]mangrove['"]/;
const CALLED = /\bdefineProject\s*[(<]/;

/**
 * The project's `src/index` if it was written for Mangrove, which it shows by calling `defineProject`.
 * Relative to the root.
 */
export async function ownProjectFile(root: string): Promise<string | null> {
  for (const file of await codeIn(root, 'src', false)) {
    if (baseName(file) !== 'index') continue;
    const text = await readFile(join(root, file), 'utf8');
    if (IMPORTED.test(text) && CALLED.test(text)) return file;
  }
  return null;
}

/** Whether Strapi is a dependency of the project: then it was made for Strapi, and its routes are code. */
export async function isOfStrapi(root: string): Promise<boolean> {
  const text = await readFile(join(root, 'package.json'), 'utf8').catch(() => '');
  return /"@strapi\/strapi"\s*:/.test(text);
}
