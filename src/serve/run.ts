import { setFlagsFromString } from 'node:v8';
import { ConfigError } from '../config/error.js';
import { stopWhenAsked } from './stop-when-asked.js';

/** V8 collects rather than takes more memory: nearly all that a start makes is garbage, for which it would take as much again. */
const SMALL = ['optimize-for-size'];
/** What is hot in the first moments is not run again, so optimizing it is in vain, and costs V8's threads memory of their own. */
const PLAIN = ['no-opt', 'no-parallel-scavenge'];

/** Milliseconds after the server listens, when what its first requests load is there. */
const SMALL_MS = 5000;
/** Milliseconds of a start. What takes longer, as building indexes, is worth to be optimized. */
const PLAIN_MS = 2000;

const set = (flags: readonly string[]): void => {
  for (const flag of flags) setFlagsFromString(`--${flag}`);
};
const opposite = (flag: string): string => (flag.startsWith('no-') ? flag.slice(3) : `no-${flag}`);

/** Sets flags but those that Node was started with; the function that comes back sets their opposites after some milliseconds. */
function setForNow(flags: readonly string[]): (ms: number) => void {
  const given = ` ${[...process.execArgv, process.env['NODE_OPTIONS'] ?? ''].join(' ').replaceAll('_', '-')} `;
  const own = flags.filter(
    (flag) => !given.includes(` --${flag} `) && !given.includes(` --${opposite(flag)} `),
  );
  set(own);
  return (ms) => void setTimeout(set, ms, own.map(opposite)).unref();
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

async function runWorkers({ workers, ...options }: RunOptions): Promise<void> {
  const { serveWithWorkers } = await import('./workers/primary.js');
  const { stop, restart, failed } = await serveWithWorkers({ ...options, count: workers });
  stopWhenAsked(stop);
  process.on('SIGHUP', () => void restart());
  void failed.then(stop).finally(() => process.exit(1));
}
