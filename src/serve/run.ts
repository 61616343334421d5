import { setFlagsFromString } from 'node:v8';
import { ConfigError } from '../config/error.js';
import { stopWhenAsked } from './stop-when-asked.js';

const FLAG = 'optimize-for-size';

/** Milliseconds after which what a start and its first requests load is there. */
const AFTER_START_MS = 5000;

/**
 * While the server starts, V8 collects rather than take more memory: nearly all that a start makes is garbage, for which V8 would take as
 * much again as the server needs. Call the function that comes back when the server listens: from some seconds later on V8 does as it
 * thinks best.
 */
function startSmall(): () => void {
  const given = [...process.execArgv, process.env['NODE_OPTIONS'] ?? ''].join(' ').replaceAll('_', '-');
  if (given.includes(FLAG)) return () => undefined;
  setFlagsFromString(`--${FLAG}`);
  return () => void setTimeout(setFlagsFromString, AFTER_START_MS, `--no-${FLAG}`).unref();
}

/** How a server is run from a command line. */
export interface RunOptions {
  readonly root: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly agreed: boolean;
  readonly ignoreCode: true | readonly string[] | null;
  /** What the first start seeds from; null: nothing. */
  readonly seed: string | null;
  /** Processes that serve. */
  readonly workers: number;
}

const MAX_WORKERS = 64;

/** The number of `--workers`, else of `WEB_CONCURRENCY`, else 1. @throws ConfigError */
export function workersOf(given: string | undefined, env: RunOptions['env']): number {
  const [name, text] =
    given === undefined ? ['WEB_CONCURRENCY', env['WEB_CONCURRENCY']] : ['--workers', given];
  if (text === undefined || text.trim() === '') return 1;
  const count = Number(text);
  if (Number.isInteger(count) && count >= 1 && count <= MAX_WORKERS) return count;
  throw new ConfigError([`${name} must be an integer from 1 to ${MAX_WORKERS}, not ${JSON.stringify(text)}`]);
}

/** Serves until asked to stop: in this process, or in several of which this one takes care. */
export const run = (options: RunOptions): Promise<void> =>
  options.workers > 1 ? runWorkers(options) : runHere(options);

async function runHere({ root, env, agreed, ignoreCode, seed }: RunOptions): Promise<void> {
  const listens = startSmall();
  const { serve } = await import('./index.js');
  const { printGreeting } = await import('../terminal/output.js');
  const { stop } = await serve({
    root,
    env,
    agreed,
    ...(ignoreCode !== null && { overrides: { code: { ignore: ignoreCode } } }),
    ...(seed !== null && { seed }),
    restores: true,
    print: printGreeting,
  });
  listens();
  stopWhenAsked(() => stop(true));
}

async function runWorkers({ workers, ...options }: RunOptions): Promise<void> {
  const { serveWithWorkers } = await import('./workers/primary.js');
  const { stop, restart, failed } = await serveWithWorkers({ ...options, count: workers });
  stopWhenAsked(stop);
  process.on('SIGHUP', () => void restart());
  void failed.then(stop).finally(() => process.exit(1));
}
