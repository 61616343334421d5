/** Servers that kill themselves while they write (see server.ts). */
import { spawn } from 'node:child_process';
import { compiled } from '../support/compiled.js';
import type { TwoServers } from '../support/standalone.js';

const DYING = compiled('test/idempotency/server.ts');

/**
 * Starts a third server of the same database.
 * @param when it dies, as server.ts takes it
 */
export async function startDying(
  { servers: [{ project, schemaFolder }] }: TwoServers,
  when: string,
): Promise<{ url: string; ended: Promise<unknown> }> {
  const child = spawn(
    process.execPath,
    [DYING, project.databaseUri, project.store.db.databaseName, schemaFolder, when],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  const ended = new Promise((resolve) => child.on('exit', resolve));
  const url = await new Promise<string>((resolve, reject) => {
    child.stdout.once('data', (text) => resolve(String(text).trim()));
    child.once('exit', () => reject(new Error('the server did not start')));
  });
  return { url, ended };
}
