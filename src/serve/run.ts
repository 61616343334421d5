import { setFlagsFromString } from 'node:v8';
import { ConfigError } from '../config/error.js';
import { stopOnSignal } from './stop-on-signal.js';

/** V8 flags, each with the flag that reverts it. */
type Flags = Readonly<Record<string, string>>;
/**
 * Makes V8 collect garbage instead of growing the heap: nearly everything that a start allocates is garbage,
 * which would otherwise double the memory.
 */
const SMALL: Flags = {
  'optimize-for-size': 'no-optimize-for-size',
  // Keeps the young generation at its initial 2 MB of 32.
  'semi-space-growth-factor=1': 'semi-space-growth-factor=2',
};
/**
 * What is hot during the start does not run again, so optimizing it is useless, and the compiler's threads
 * need memory of their own.
 */
const PLAIN: Flags = { 'no-opt': 'opt', 'no-parallel-scavenge': 'parallel-scavenge' };

/** Milliseconds after the server listens, by which its first requests have loaded what they need. */
const SMALL_MS = 5000;
/** Milliseconds of a start. Longer work, such as building indexes, is worth optimizing. */
const PLAIN_MS = 2000;

const set = (flags: readonly string[]): void => {
  for (const flag of flags) setFlagsFromString(`--${flag}`);
};
const nameOf = (flag: string): string => flag.replace(/^no-|=.*/g, '');

/**
 * Sets the flags that Node was not started with. Returns a function that reverts them after some
 * milliseconds.
 */
function setForNow(flags: Flags): (ms: number) => void {
  const options = [...process.execArgv, ...(process.env['NODE_OPTIONS'] ?? '').split(' ')];
  const given = new Set(options.map((option) => nameOf(option.replace(/^--/, '').replaceAll('_', '-'))));
  const own = Object.entries(flags).filter(([flag]) => !given.has(nameOf(flag)));
  set(own.map(([flag]) => flag));
  const backs = own.map(([, back]) => back);
  return (ms) => void setTimeout(set, ms, backs).unref();
}

/**
 * Makes V8 save memory during a start. Returns a function to call when the server listens, after which memory
 * may soon grow.
 */
function startSmall(): () => void {
  const grow = setForNow(SMALL);
  setForNow(PLAIN)(PLAIN_MS);
  return () => grow(SMALL_MS);
}

/** Options of a server started from the command line. */
export interface RunOptions {
  readonly root: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly agreed: boolean;
  readonly ignoreCode: true | readonly string[] | null;
  /** What the first start seeds from; null: nothing. */
  readonly seed: string | null;
  /** The number of serving processes. */
  readonly workers: number;
}

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
  stopOnSignal(() => stop(true));
}

async function runWorkers(options: RunOptions): Promise<void> {
  const { serveWithWorkers } = await import('./workers/primary.js');
  const { stop, restart, failed } = await serveWithWorkers(options);
  stopOnSignal(stop);
  process.on('SIGHUP', () => void restart());
  void failed.then(stop).finally(() => process.exit(1));
}
