import { existsSync } from 'node:fs';
import { join } from 'node:path';

/** Where a project's seed may be: compiled, as it is, or a folder of files. */
const SEEDS = ['dist/scripts/seed.js', 'scripts/seed.js', 'scripts/seed.mjs', 'scripts/seed.ts', 'seeds'];

/** The seed of a project that its first start runs: the first of these that is there. */
export const seedOf = (root: string): string => {
  const files = SEEDS.map((name) => join(root, name));
  return files.find((file) => existsSync(file)) ?? join(root, 'dist/scripts/seed.js');
};
