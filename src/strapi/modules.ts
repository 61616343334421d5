import { join, resolve } from 'node:path';
import { pathAliases } from '../schema/files/path-aliases.js';
import type { Schema } from '../schema/types.js';
import { once } from '../values/once-per.js';
import { provide } from './required.js';
import { strapiPackages } from './utils.js';

/** Loads `./src/…`, a file of the project, or a package: its default export. */
export type LoadFile = (file: string) => Promise<unknown>;

/**
 * Loads the project's code: TypeScript, CommonJS and ES modules, with the path aliases of its tsconfig. Its files
 * share their modules, and `@strapi/strapi` and `@strapi/utils` are Mangrove's.
 */
export function createModules(root: string, schema: () => Schema): LoadFile {
  const open = once(async () => {
    const { createJiti } = await import('jiti');
    const virtualModules = strapiPackages(root, schema);
    const alias = await pathAliases(join(root, 'src', 'index.ts'));
    const jiti = createJiti(join(root, 'src', 'index.ts'), {
      fsCache: false,
      alias,
      virtualModules,
      // For files that end in `tsx`, such as templates of emails.
      jsx: { runtime: 'automatic' },
    });
    provide(resolve(root), { packages: virtualModules, compiled: jiti });
    return jiti;
  });
  return async (file) => {
    const jiti = await open();
    // As in Strapi, what is no package is a file of the project.
    const isFile = file.startsWith('.') || jiti.esmResolve(file, { try: true }) === undefined;
    return jiti.import(isFile ? join(root, file) : file, { default: true });
  };
}
