import { existsSync } from 'node:fs';
import type { Project } from '../project.js';
import { collectionsOf } from '../schema/stored/collections.js';
import { SeedError } from '../seed/error.js';
import { readMark, writeMark } from '../store/leases/setup-state.js';
import { holdsAny } from '../store/transfer/import-entries.js';
import { reasonOf } from '../values/reason-of.js';

/** The key of the seeding's progress in `mangrove.settings`. */
const SEED = 'seed';

const contentOf = ({ schema }: Project): readonly string[] =>
  [...schema.contentTypes.values()].filter(({ origin }) => origin === 'api').flatMap(collectionsOf);

const isEmpty = async ({ store }: Project, collections: readonly string[]): Promise<boolean> => {
  for (const name of collections) if (await holdsAny(store.db, name)) return false;
  return true;
};

async function fill(project: Project, path: string): Promise<void> {
  // Imported here because only the first start needs it.
  const { seedFiles } = await import('../seed/seed.js');
  const { failed, incomplete, problems } = await seedFiles(project, [path], { restart: true });
  if (failed + incomplete > 0)
    throw new SeedError(problems.map(({ place, message }) => `${place}: ${message}`).join('; '));
}

/**
 * Fills an empty database with the project's seed, once. A database with content is never changed. An
 * interrupted seed is removed and run again.
 * @param path a file or folder for `mangrove seed`
 * @returns whether this is the first start, so that `firstKey` must be called
 */
export const firstRun = async (project: Project, path: string): Promise<boolean> => {
  const mark = await readMark(project.store, SEED);
  if (mark === 'done') return false;
  if (mark === 'filled') return true;
  const collections = contentOf(project);
  if (mark === null && !(await isEmpty(project, collections))) return false;
  if (!existsSync(path)) return false;
  if (mark === 'begun')
    for (const name of collections) await project.store.db.collection(name).deleteMany({});
  await writeMark(project.store, SEED, 'begun');
  await fill(project, path).catch((error: unknown) => {
    const reason = reasonOf(error);
    throw new Error(
      `The seed of the first start failed: ${reason}. The next start runs it again; npx mangrove serve --no-seed skips it.`,
      { cause: error },
    );
  });
  await writeMark(project.store, SEED, 'filled');
  return true;
};

/**
 * Creates the full-access token that completes the first start. Called once the server listens: if the port
 * were busy, the token would never be shown.
 */
export const firstKey = async (project: Project): Promise<string> => {
  const name = `First start ${new Date().toISOString()}`;
  const { key } = await project.access.tokens.create({ name, type: 'full-access' });
  await writeMark(project.store, SEED, 'done');
  return key;
};
