import { existsSync } from 'node:fs';
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { setTimeout as wait } from 'node:timers/promises';
import type { Config } from '../config/types.js';
import { CHECK_EVERY, type RestoreResult, restoreFiles } from '../serve/restore.js';
import { refused } from './command.js';

/** Milliseconds for some server to accept a request. */
const PATIENCE = 10_000;
/** Milliseconds for the restore itself. */
const TIME = 10 * 60_000;

/**
 * Asks the server that has the database open to restore a backup. @throws ApiError if none responds, or if it
 * cannot serve the backup
 */
export async function requestRestore(config: Config, source: string): Promise<{ kept: readonly string[] }> {
  const { wanted, taken, answer } = restoreFiles(config);
  await rm(answer, { force: true });
  await writeFile(`${wanted}.new`, JSON.stringify({ source }), { mode: 0o600 });
  await rename(`${wanted}.new`, wanted);
  const begun = performance.now();
  while (!existsSync(answer)) {
    await wait(CHECK_EVERY);
    const waited = performance.now() - begun;
    if (existsSync(taken) ? waited < TIME : waited < PATIENCE || existsSync(answer)) continue;
    await rm(wanted, { force: true });
    throw refused(
      'A program other than mangrove serve has this database open. Stop it first: it would continue with outdated data.',
    );
  }
  const { kept = [], why }: RestoreResult = JSON.parse(await readFile(answer, 'utf8'));
  await rm(answer, { force: true });
  if (why !== undefined)
    throw refused(`The server cannot serve this backup and keeps the current data: ${why}`);
  return { kept };
}
