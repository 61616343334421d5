import { existsSync } from 'node:fs';
import { join } from 'node:path';

/** Where the seed of a project may be: a module, compiled or not, or a folder of files. */
const SEEDS = ['dist/scripts/seed.js', 'scripts/seed.js', 'scripts/seed.mjs', 'scripts/seed.ts', 'seeds'];

/** The seed for the first start of a project: the first of these that exists. */
export const seedOf = (root: string): string => {
  const files = SEEDS.map((name) => join(root, name));
  return files.find((file) => existsSync(file)) ?? join(root, 'dist/scripts/seed.js');
};
