/** Servers that kill themselves while they write (see server.ts). */
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { TwoServers } from '../support/standalone.js';

const DYING = fileURLToPath(new URL('server.ts', import.meta.url));

/**
 * Starts a third server of the same database.
 * @param when it dies, as server.ts takes it
 */
export async function startDying(
  { servers: [{ project }] }: TwoServers,
  when: string,
): Promise<{ url: string; ended: Promise<unknown> }> {
  const child = spawn(
    process.execPath,
    ['--import', 'tsx', DYING, project.databaseUri, project.store.db.databaseName, when],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  const ended = new Promise((resolve) => child.on('exit', resolve));
  const url = await new Promise<string>((resolve, reject) => {
    child.stdout.once('data', (text) => resolve(String(text).trim()));
    child.once('exit', () => reject(new Error('the server did not start')));
  });
  return { url, ended };
}
