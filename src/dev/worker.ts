/**
 * A process that serves one version of a project for `mangrove dev`. It loads as many modules as possible
 * before it is told to start.
 */
import { setTimeout as wait } from 'node:timers/promises';
import { type ConfigOverrides, loadConfig } from '../config/load.js';
import type { Config } from '../config/types.js';
import { openDatabase } from '../database.js';
import { MigrationError } from '../migrate/error.js';
import { readProject } from '../project.js';
import { type Serving, startServing } from '../serve/index.js';
import { recordLateErrors } from '../serve/late-errors.js';
import { seedOf } from '../serve/seed-of.js';
import { openStore } from '../store/client.js';
import { readApplied, readRuns } from '../store/leases/migrations.js';
import { explainError, printGreeting } from '../terminal/output.js';
import { contractOf } from './contract.js';
import type { Order, WorkerMessage, WorkerOptions } from './messages.js';
import { writeTypes } from './types-files.js';

/** Milliseconds that running requests have to finish when files have changed. */
const DRAIN = 1000;
/** Milliseconds between checks whether the content has been migrated. */
const CHECK_EVERY = 500;

const report = (report: WorkerMessage): Promise<void> =>
  new Promise((sent) => {
    if (process.send) process.send(report, () => sent());
    else sent();
  });

const waiting = new Map<Order['do'], (order: Order) => void>();
const early: Order[] = [];

/** Waits for an order of a kind, which may already have arrived. */
const order = <K extends Order['do']>(kind: K): Promise<Extract<Order, { do: K }>> =>
  new Promise((resolve) => {
    const take = (given: Order): void => resolve(given as Extract<Order, { do: K }>);
    const at = early.findIndex((given) => given.do === kind);
    const [there] = at < 0 ? [] : early.splice(at, 1);
    if (there) take(there);
    else waiting.set(kind, take);
  });

process.on('message', (given: Order) => {
  const take = waiting.get(given.do);
  waiting.delete(given.do);
  if (take) take(given);
  else early.push(given);
});
// The terminal sends Ctrl-C to all processes; the parent handles it.
process.on('SIGINT', () => undefined);
process.on('disconnect', () => process.exit());

const envOf = ({ port, host }: WorkerOptions): NodeJS.ProcessEnv => ({
  ...process.env,
  ...(port !== null && { PORT: port }),
  ...(host !== null && { HOST: host }),
});

type Start = Extract<Order, { do: 'start' }>;

/**
 * Serves the project and reports each step; if a migration is needed, waits for it and tries again. @throws
 * the error that prevents serving
 */
async function start({ options, greet }: Start): Promise<Serving> {
  const { root, agreed, seed } = options;
  const env = envOf(options);
  const parts = await readProject(root, await loadConfig(root, env));
  await report({ is: 'contract', contract: contractOf(parts) });
  await report({ is: 'database', database: parts.config.database });
  const { uri } = await order('open');
  const overrides: ConfigOverrides = {
    server: { drainMs: DRAIN },
    ...(uri !== null && { database: { uri } }),
  };
  const first = seed ? await seedOf(root) : null;
  const open = () =>
    startServing({
      root,
      env,
      agreed,
      overrides,
      ...(first !== null && { seed: first }),
      ...(greet && { print: printGreeting }),
      beforeListen: async () => {
        await report({ is: 'prepared' });
        await order('listen');
      },
    });
  const serving = await open().catch(async (error: unknown) => {
    if (!(error instanceof MigrationError)) throw error;
    await report({ is: 'failed', why: explainError(error), waits: true });
    return openMigrated({ ...parts.config.database, ...(uri !== null && { uri }) }, open);
  });
  recordLateErrors(serving);
  const types = await writeTypes(root, serving.project.schema, options.types);
  await report({ is: 'listening', port: serving.port, types });
  return serving;
}

/**
 * Opens the project once the content is migrated: retries whenever the recorded state of migrations changes.
 * The state is read before each attempt, so that a migration that completes during the attempt is noticed.
 */
async function openMigrated(settings: Config['database'], open: () => Promise<Serving>): Promise<Serving> {
  const database = await openDatabase({ database: settings });
  const store = await openStore({ ...settings, uri: database.uri, system: database.system });
  const standing = async (): Promise<string> =>
    JSON.stringify([await readApplied(store.db), await readRuns(store.db)]);
  try {
    for (;;) {
      const before = await standing();
      const serving = await open().catch((error: unknown) => {
        if (!(error instanceof MigrationError)) throw error;
      });
      if (serving) return serving;
      do await wait(CHECK_EVERY);
      while ((await standing()) === before);
    }
  } finally {
    await store.close();
    await database.close();
  }
}

await report({ is: 'warm' });
try {
  const { stop } = await start(await order('start'));
  await order('stop');
  await stop();
  process.exit(0);
} catch (error) {
  await report({ is: 'failed', why: explainError(error), waits: false });
  process.exit(1);
}
