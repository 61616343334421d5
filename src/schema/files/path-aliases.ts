import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { isObject } from '../../values/plain-object.js';

/**
 * The path aliases of the `tsconfig.json` above a file, as prefixes: `@lib/*` of `./src/lib/*` is `@lib` → the folder. What the
 * file extends is not followed: it may not be installed.
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

/** Comments and commas at the end of a list are allowed in it. */
function readOptions(text: string): unknown {
  try {
    const plain = text.replace(STRINGS_AND_REST, (part) => (part.startsWith('"') ? part : ''));
    // A comma may stand before a comment.
    const value: unknown = JSON.parse(
      plain.replace(STRINGS_AND_REST, (part) => (part.startsWith('"') ? part : '')),
    );
    return isObject(value) ? value['compilerOptions'] : undefined;
  } catch {
    return undefined;
  }
}
