import { existsSync } from 'node:fs';
import { dirname, extname, join, resolve } from 'node:path';

export const ENDINGS = ['.ts', '.mts', '.cts', '.js', '.mjs', '.cjs'];

/**
 * The code file that a relative import refers to; null if there is none. `./address` may be `address.ts`,
 * `address/index.js`, or `address.js` written in TypeScript.
 */
export function importedFile(importer: string, from: string): string | null {
  if (!/^\.\.?(\/|$)/.test(from)) return null;
  const base = resolve(dirname(importer), from);
  const bare = base.replace(/\.[cm]?js$/, '');
  const places = [bare, base, join(base, 'index')].flatMap((place) =>
    ENDINGS.map((ending) => place + ending),
  );
  return [base, ...places].find((path) => ENDINGS.includes(extname(path)) && existsSync(path)) ?? null;
}
