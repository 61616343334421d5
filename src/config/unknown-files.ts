import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { AppEvent } from '../events/events.js';
import { didYouMean } from '../values/nearest.js';

const CODE = /\.[cm]?[jt]s$|\.json$/;

/** Files of Strapi's that mean nothing here, or that are named elsewhere (scheduled jobs). */
const PASSED_OVER = /^(features|.*cron.*)$/;

/** A warning for each file of `config/` that nothing reads: most of them are misspelt. */
export async function unknownFiles(
  root: string,
  environment: string,
  known: readonly string[],
): Promise<readonly AppEvent[]> {
  const found = await Promise.all(
    ['config', `config/env/${environment}`].map(async (folder) => {
      if (!existsSync(join(root, folder))) return [];
      const entries = await readdir(join(root, folder), { withFileTypes: true });
      return entries
        .filter(({ name }) => CODE.test(name) && !name.endsWith('.d.ts') && !name.startsWith('.'))
        .filter((entry) => entry.isFile())
        .map(({ name }) => ({ folder, name, base: name.replace(CODE, '') }));
    }),
  );
  return found
    .flat()
    .filter(({ base }) => !known.includes(base) && !PASSED_OVER.test(base))
    .map(({ folder, name, base }) => ({
      name: 'config-file-unread',
      file: `${folder}/${name}`,
      guess: didYouMean(base, known),
    }));
}
