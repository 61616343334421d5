import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Closing } from '../strapi/types.js';
import type { Checked } from './check-process.js';

/** Milliseconds after which a project's code that is still loading is ended. */
const MAX_MS = 10_000;

const FILE = fileURLToPath(new URL('./check-process.js', import.meta.url));

/** Loads the code of a project in a process of its own; what cannot be loaded, by file. @param root the project's folder */
export async function runCheck(root: string, file = FILE): Promise<readonly Closing[]> {
  const child = fork(file, [root], { stdio: ['ignore', 'ignore', 'ignore', 'ipc'] });
  let checked: Checked | null = null;
  child.on('message', (message: Checked) => {
    checked = message;
  });
  let late = false;
  const timer = setTimeout(() => {
    late = true;
    child.kill('SIGKILL');
  }, MAX_MS);
  await once(child, 'exit');
  clearTimeout(timer);
  if (checked !== null) return (checked as Checked).problems;
  return [
    {
      file: '',
      because: late
        ? `the code was still loading after ${MAX_MS / 1000} seconds`
        : 'the code ended the process',
    },
  ];
}
