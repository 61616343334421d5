import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { isObject } from '../../values/plain-object.js';

/**
 * The path aliases of the nearest `tsconfig.json`, as prefixes: `@lib/*` for `./src/lib/*` becomes `@lib` →
 * the folder. `extends` is not followed, since that package may not be installed.
 */
export async function pathAliases(file: string): Promise<Readonly<Record<string, string>>> {
  const config = configAbove(dirname(file));
  if (config === null) return {};
  const options = readOptions(await readFile(config, 'utf8'));
  const { baseUrl, paths } = isObject(options) ? options : {};
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

/** Reads a tsconfig, which may contain comments and trailing commas. */
function readOptions(text: string): unknown {
  try {
    const plain = text.replace(STRINGS_AND_REST, (part) => (part.startsWith('"') ? part : ''));
    // Again, for a comma before a comment.
    const value: unknown = JSON.parse(
      plain.replace(STRINGS_AND_REST, (part) => (part.startsWith('"') ? part : '')),
    );
    return isObject(value) ? value['compilerOptions'] : undefined;
  } catch {
    return undefined;
  }
}
