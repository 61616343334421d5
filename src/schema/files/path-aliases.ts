import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { isObject, objectAt } from '../../values/plain-object.js';

/**
 * The path aliases of the nearest `tsconfig.json`, as prefixes: `@lib/*` for `./src/lib/*` becomes `@lib` →
 * the folder. `extends` is not followed, since that package may not be installed.
 */
export async function pathAliases(file: string): Promise<Readonly<Record<string, string>>> {
  const config = configAbove(dirname(file));
  if (config === null) return {};
  const { baseUrl, paths } = objectAt(readTsconfig(await readFile(config, 'utf8')), 'compilerOptions');
  if (!isObject(paths)) return {};
  const base = resolve(dirname(config), typeof baseUrl === 'string' ? baseUrl : '.');
  return Object.fromEntries(
    Object.entries(paths).flatMap(([pattern, targets]) => {
      const target: unknown = Array.isArray(targets) ? targets[0] : undefined;
      if (typeof target !== 'string' || pattern === '*') return [];
      return [[pattern.replace(/\/\*$/, ''), resolve(base, target.replace(/\/?\*$/, ''))]];
    }),
  );
}

function configAbove(folder: string): string | null {
  const file = join(folder, 'tsconfig.json');
  if (existsSync(file)) return file;
  return existsSync(join(folder, 'package.json')) || dirname(folder) === folder
    ? null
    : configAbove(dirname(folder));
}

const STRINGS_AND_REST = /"(?:\\.|[^"\\])*"|\/\/[^\n]*|\/\*[\s\S]*?\*\/|,(?=\s*[}\]])/g;

/** Reads a tsconfig, which may contain comments and trailing commas; undefined if it cannot be read. */
function readTsconfig(text: string): unknown {
  try {
    const plain = text.replace(STRINGS_AND_REST, (part) => (part.startsWith('"') ? part : ''));
    // Again, for a comma before a comment.
    return JSON.parse(plain.replace(STRINGS_AND_REST, (part) => (part.startsWith('"') ? part : '')));
  } catch {
    return undefined;
  }
}

/**
 * Whether only TypeScript is compiled in a folder: it has a `tsconfig.json`, and neither that nor a file next to it
 * that it extends allows JavaScript.
 */
export async function compilesOnlyTypeScript(folder: string, name = 'tsconfig.json'): Promise<boolean> {
  const text = await readFile(join(folder, name), 'utf8').catch(() => null);
  if (text === null) return false;
  const config = readTsconfig(text);
  const { allowJs, checkJs } = objectAt(config, 'compilerOptions');
  const allowed = allowJs ?? checkJs;
  if (allowed !== undefined) return allowed !== true;
  const base = objectAt(config)['extends'];
  if (typeof base !== 'string' || !base.startsWith('.')) return true;
  const file = resolve(folder, base.endsWith('.json') ? base : `${base}.json`);
  return !existsSync(file) || compilesOnlyTypeScript(dirname(file), basename(file));
}
