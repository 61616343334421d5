import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Closing } from '../strapi/types.js';
import type { Checked, Message } from './check-process.js';

const MAX_MS = 10_000;

const FILE = fileURLToPath(new URL('./check-process.js', import.meta.url));

/**
 * Loads the code of a project in a process of its own; what cannot be loaded, by file.
 * @param root the project's folder
 * @param options.file the compiled check-process
 * @param options.maxMs milliseconds after which code that is still loading is ended
 */
export async function runCheck(
  root: string,
  { file = FILE, maxMs = MAX_MS } = {},
): Promise<readonly Closing[]> {
  const child = fork(file, [root], { stdio: ['ignore', 'ignore', 'ignore', 'ipc'] });
  let checked: Checked | null = null;
  let late = false;
  let timer: NodeJS.Timeout | undefined;
  child.on('message', (message: Message) => {
    if (message !== 'loading') checked = message;
    // The start of the process itself, which takes long on a busy machine, is not the project's.
    else
      timer = setTimeout(() => {
        late = true;
        child.kill('SIGKILL');
      }, maxMs);
  });
  await once(child, 'exit');
  clearTimeout(timer);
  if (checked !== null) return (checked as Checked).problems;
  return [
    {
      file: '',
      because: late
        ? `the code was still loading after ${maxMs / 1000} seconds`
        : 'the code ended the process',
    },
  ];
}
