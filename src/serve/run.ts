import { setFlagsFromString } from 'node:v8';
import { ConfigError } from '../config/error.js';
import { stopWhenAsked } from './stop-when-asked.js';

/** Flags of V8, and what takes each back. */
type Flags = Readonly<Record<string, string>>;
/** V8 collects rather than takes more memory: nearly all that a start makes is garbage, for which it would take as much again. */
const SMALL: Flags = {
  'optimize-for-size': 'no-optimize-for-size',
  // The space of what is new stays as small as it begins, at 2 MB of 32.
  'semi-space-growth-factor=1': 'semi-space-growth-factor=2',
};
/** What is hot in the first moments is not run again, so optimizing it is in vain, and costs V8's threads memory of their own. */
const PLAIN: Flags = { 'no-opt': 'opt', 'no-parallel-scavenge': 'parallel-scavenge' };

/** Milliseconds after the server listens, when what its first requests load is there. */
const SMALL_MS = 5000;
/** Milliseconds of a start. What takes longer, as building indexes, is worth to be optimized. */
const PLAIN_MS = 2000;

const set = (flags: readonly string[]): void => {
  for (const flag of flags) setFlagsFromString(`--${flag}`);
};
const nameOf = (flag: string): string => flag.replace(/^no-|=.*/g, '');

/** Sets flags but those that Node was started with; the function that comes back takes them back after some milliseconds. */
function setForNow(flags: Flags): (ms: number) => void {
  const options = [...process.execArgv, ...(process.env['NODE_OPTIONS'] ?? '').split(' ')];
  const given = new Set(options.map((option) => nameOf(option.replace(/^--/, '').replaceAll('_', '-'))));
  const own = Object.entries(flags).filter(([flag]) => !given.has(nameOf(flag)));
  set(own.map(([flag]) => flag));
  const backs = own.map(([, back]) => back);
  return (ms) => void setTimeout(set, ms, backs).unref();
}

/** Lets V8 save until a while after the function that comes back is called: when the server listens. */
function startSmall(): () => void {
  const grow = setForNow(SMALL);
  setForNow(PLAIN)(PLAIN_MS);
  return () => grow(SMALL_MS);
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

async function runWorkers(options: RunOptions): Promise<void> {
  const { serveWithWorkers } = await import('./workers/primary.js');
  const { stop, restart, failed } = await serveWithWorkers(options);
  stopWhenAsked(stop);
  process.on('SIGHUP', () => void restart());
  void failed.then(stop).finally(() => process.exit(1));
}
