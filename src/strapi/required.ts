import { existsSync, realpathSync } from 'node:fs';
import Module from 'node:module';
import { dirname, join, resolve, sep } from 'node:path';
import { isObject } from '../values/plain-object.js';
import { isCallable, type Values } from './types.js';

/** What files below a folder receive. */
interface Provided {
  /** The folder of the project. */
  readonly root: string;
  /** Packages by name, installed or not. */
  readonly packages: Readonly<Record<string, Values>>;
  /** Loads a TypeScript file, which Node would not compile. */
  readonly compiled: (file: string) => unknown;
}

const providedTo = new Map<string, Provided>();
let isHooked = false;

/** What the project of a module receives; undefined for modules outside of projects and in packages. */
function providedIn(file: unknown): Provided | undefined {
  if (typeof file !== 'string' || file.includes(`${sep}node_modules${sep}`)) return undefined;
  for (const [root, provided] of providedTo) if (file.startsWith(root + sep)) return provided;
  return undefined;
}

const EXTENSIONS = ['', '.ts', '.mts', '.cts', '.tsx', `${sep}index.ts`];

/**
 * The TypeScript file that a module names by its path: with or without its extension, or as the compiler would write
 * it to `dist`, where plugins of a project look for its code.
 */
function typeScriptFile(name: string, from: string, { root }: Provided): string | undefined {
  if (!/^\.{0,2}[\\/]|^[A-Za-z]:[\\/]/.test(name)) return undefined;
  const named = resolve(dirname(from), name);
  const dist = join(root, 'dist') + sep;
  const path = named.startsWith(dist) && !existsSync(dist) ? join(root, named.slice(dist.length)) : named;
  if (['.js', '.cjs', '.json'].some((extension) => existsSync(path + extension))) return undefined;
  const file = EXTENSIONS.map((extension) => path + extension).find(
    (one) => /\.([cm]?ts|tsx)$/.test(one) && existsSync(one),
  );
  return file !== undefined && providedIn(file) ? file : undefined;
}

/**
 * Gives the CommonJS files below a folder these packages, and the TypeScript files that they require. jiti lets
 * Node load files that need no compilation, and Node would find the installed packages, and no TypeScript.
 */
export function provide(root: string, provided: Omit<Provided, 'root'>): void {
  const real = realpathSync(root);
  providedTo.set(real, { ...provided, root: real });
  if (isHooked) return;
  isHooked = true;
  const own: unknown = Object.getOwnPropertyDescriptor(Module, '_load')?.value;
  if (!isCallable(own)) throw new TypeError('This version of Node.js loads modules in another way');
  Object.assign(Module, {
    _load(this: unknown, name: unknown, parent: unknown, ...more: unknown[]): unknown {
      const from = isObject(parent) ? parent['filename'] : undefined;
      const given = providedIn(from);
      if (given && typeof name === 'string' && typeof from === 'string') {
        if (Object.hasOwn(given.packages, name)) return given.packages[name];
        const file = typeScriptFile(name, from, given);
        if (file !== undefined) return given.compiled(file);
      }
      return own.call(this, name, parent, ...more);
    },
  });
}
