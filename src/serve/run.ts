import { ConfigError } from '../config/error.js';
import { recordLateErrors } from './late-errors.js';
import type { RunOptions } from './run-options.js';
import { stopOnSignal } from './stop-on-signal.js';

const MAX_WORKERS = 64;

/** The number in `--workers`, or in `WEB_CONCURRENCY`, or 1. @throws ConfigError */
export function workersOf(given: string | undefined, env: RunOptions['env']): number {
  const [name, text] =
    given === undefined ? ['WEB_CONCURRENCY', env['WEB_CONCURRENCY']] : ['--workers', given];
  if (text === undefined || text.trim() === '') return 1;
  const count = Number(text);
  if (Number.isInteger(count) && count >= 1 && count <= MAX_WORKERS) return count;
  throw new ConfigError([`${name} must be an integer from 1 to ${MAX_WORKERS}, not ${JSON.stringify(text)}`]);
}

/** Serves until stopped: in this process, or in several workers that this process manages. */
export const run = (options: RunOptions): Promise<void> =>
  options.workers > 1 ? runWorkers(options) : runHere(options);

async function runHere({ root, env, agreed, ignoreCode, seed }: RunOptions): Promise<void> {
  const { startServing } = await import('./index.js');
  const { printGreeting } = await import('../terminal/output.js');
  const serving = await startServing({
    root,
    env,
    agreed,
    ...(ignoreCode !== null && { overrides: { code: { ignore: ignoreCode } } }),
    ...(seed !== null && { seed }),
    restores: true,
    print: printGreeting,
  });
  recordLateErrors(serving);
  stopOnSignal(() => serving.stop(true));
}

async function runWorkers(options: RunOptions): Promise<void> {
  const { serveWithWorkers } = await import('./workers/primary.js');
  const workers = await serveWithWorkers(options);
  stopOnSignal(() => workers.stop());
  process.on('SIGHUP', () => void workers.restart());
  void workers.failed.then(() => workers.stop()).finally(() => process.exit(1));
}
