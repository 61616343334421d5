import { realpathSync } from 'node:fs';
import Module from 'node:module';
import { sep } from 'node:path';
import { isObject } from '../values/plain-object.js';
import { isCallable, type Values } from './types.js';

/** The packages that files below a folder receive, by folder. */
const packagesOf = new Map<string, Readonly<Record<string, Values>>>();
let isHooked = false;

const givenTo = (name: unknown, parent: unknown): Values | undefined => {
  const file = isObject(parent) ? parent['filename'] : undefined;
  if (typeof name !== 'string' || typeof file !== 'string' || file.includes(`${sep}node_modules${sep}`))
    return undefined;
  for (const [root, packages] of packagesOf)
    if (file.startsWith(root + sep) && Object.hasOwn(packages, name)) return packages[name];
  return undefined;
};

/**
 * Gives the CommonJS files below a folder these packages, installed or not. jiti lets Node load files that need no
 * compilation, and Node would find the installed packages.
 */
export function provide(root: string, packages: Readonly<Record<string, Values>>): void {
  packagesOf.set(realpathSync(root), packages);
  if (isHooked) return;
  isHooked = true;
  const own: unknown = Object.getOwnPropertyDescriptor(Module, '_load')?.value;
  if (!isCallable(own)) throw new TypeError('This version of Node.js loads modules in another way');
  Object.assign(Module, {
    _load(this: unknown, name: unknown, parent: unknown, ...more: unknown[]): unknown {
      return givenTo(name, parent) ?? own.call(this, name, parent, ...more);
    },
  });
}
