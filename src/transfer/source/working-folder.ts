import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { codeOf } from '../../values/code-of.js';

/** A new folder for working files, inside `parent`, after those that killed processes of this machine left there. */
export async function workingFolder(parent: string, purpose: string): Promise<string> {
  await mkdir(parent, { recursive: true });
  const machine = `${purpose}-${hostname()}-`;
  for (const name of await readdir(parent)) {
    const pid = name.startsWith(machine) ? /^(\d+)-\w{6}$/.exec(name.slice(machine.length))?.[1] : undefined;
    if (pid !== undefined && !isRunning(Number(pid)))
      await rm(join(parent, name), { recursive: true, force: true });
  }
  return mkdtemp(join(parent, `${machine}${process.pid}-`));
}

/** Signal 0 only asks; a process of another user refuses it. */
function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return codeOf(error) !== 'ESRCH';
  }
}
