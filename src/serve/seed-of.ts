import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { isOfStrapi, ownProjectFile } from '../code-scan/own-project.js';

/** Where the seed of a project may be: a module, compiled or not, or a folder of files. */
const SEEDS = ['dist/scripts/seed.js', 'scripts/seed.js', 'scripts/seed.mjs', 'scripts/seed.ts', 'seeds'];

/**
 * The seed for the first start of a project: the first of these that exists. Null for a Strapi project, whose
 * scripts are written for Strapi.
 */
export async function seedOf(root: string): Promise<string | null> {
  if (await isStrapis(root)) return null;
  const files = SEEDS.map((name) => join(root, name));
  return files.find((file) => existsSync(file)) ?? join(root, 'dist/scripts/seed.js');
}

/** It depends on Strapi, or has its folders and no code for Mangrove. */
const isStrapis = async (root: string): Promise<boolean> =>
  (await isOfStrapi(root)) || (existsSync(join(root, 'src/api')) && (await ownProjectFile(root)) === null);
