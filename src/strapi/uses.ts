import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { REFUSED } from './names.js';
import type { CodeFile } from './types.js';

/** A place in the project's code that names a part of Strapi which Mangrove does not have. */
export interface Use {
  readonly file: string;
  readonly line: number;
  /** Such as `strapi.db.connection`. */
  readonly what: string;
}

const USED = /\bstrapi\s*\??\.\s*(\w+)(?:\s*\??\.\s*(\w+))?/g;

const refused = (first: string, second: string | undefined): string | null => {
  if (REFUSED[''].has(first)) return `strapi.${first}`;
  const inner: ReadonlySet<string> =
    first === 'db' ? REFUSED.db : first === 'server' ? REFUSED.server : new Set();
  return second !== undefined && inner.has(second) ? `strapi.${first}.${second}` : null;
};

/** Where the project's files name what throws. For people: nothing is decided by it. */
export async function usesOf(root: string, files: readonly CodeFile[]): Promise<readonly Use[]> {
  const found: Use[] = [];
  for (const { file } of files) {
    const lines = (await readFile(join(root, file), 'utf8').catch(() => '')).split('\n');
    for (const [at, text] of lines.entries())
      for (const [, first = '', second] of text.matchAll(USED)) {
        const what = refused(first, second);
        if (what !== null) found.push({ file, line: at + 1, what });
      }
  }
  return found;
}
