import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { watchProject } from './watch.js';

/** The compiled file, or the source if the sources are run. */
const FILE = fileURLToPath(
  new URL(import.meta.url.endsWith('.ts') ? 'serving.ts' : 'serving.js', import.meta.url),
);

/** Milliseconds that a process has to exit. */
const PATIENCE = 5000;

/** What the process that serves needs to know, as JSON. */
export interface ServedOptions {
  readonly root: string;
  readonly agreed: boolean;
  /** Environment variables of its own. */
  readonly env: Readonly<Record<string, string>>;
  readonly seed: boolean;
  /** The file with the types of the content, relative to the project. */
  readonly types: string | null;
  /** The files that have changed; none at the first start. */
  readonly files: readonly string[];
}

interface DevOptions extends Omit<ServedOptions, 'files'> {
  /** Further files and folders to watch, relative to the project. */
  readonly watch: readonly string[];
  /** Called with messages for the developer. */
  readonly say: (text: string) => void;
}

/** Serves a project in a process of its own, which is ended and started again whenever files change. */
export async function serveAndReload({
  watch,
  say,
  ...options
}: DevOptions): Promise<{ readonly stop: () => Promise<void> }> {
  let child: ChildProcess | null = null;
  let stopped = false;
  let working = Promise.resolve();

  const start = (files: readonly string[]): void => {
    const given: ServedOptions = { ...options, files };
    const started = fork(FILE, [JSON.stringify(given)], { cwd: options.root });
    child = started;
    started.once('exit', () => {
      if (child === started) say('Nothing is served. Waiting until files change.');
    });
  };
  const end = async (): Promise<void> => {
    const former = child;
    child = null;
    if (!former || former.exitCode !== null || former.signalCode !== null) return;
    const exited = once(former, 'exit');
    former.kill('SIGTERM');
    const late = setTimeout(() => former.kill('SIGKILL'), PATIENCE);
    await exited;
    clearTimeout(late);
  };
  const restart = async (files: readonly string[]): Promise<void> => {
    if (stopped) return;
    say(`${files.join(', ')} changed`);
    await end();
    if (!stopped) start(files);
  };

  const watching = await watchProject(options.root, watch, (files) => {
    working = working.then(() => restart(files));
  });
  start([]);
  return {
    async stop() {
      stopped = true;
      await Promise.all([working.then(end), watching.close()]);
    },
  };
}
