/** A process that serves one state of a project's files for `mangrove dev`. It loads all it can before it is told to start. */
import { setTimeout as wait } from 'node:timers/promises';
import { type ConfigOverrides, loadConfig } from '../config/load.js';
import type { Config } from '../config/types.js';
import { openDatabase } from '../database.js';
import { MigrationError } from '../migrate/error.js';
import { readProject } from '../project.js';
import { type Serving, serve } from '../serve/index.js';
import { seedOf } from '../serve/seed-of.js';
import { openStore } from '../store/client.js';
import { readApplied, readRuns } from '../store/runs/migrations.js';
import { explainError, printGreeting } from '../terminal/output.js';
import { contractOf } from './contract.js';
import type { Order, Report, WorkerOptions } from './messages.js';
import { writeTypes } from './types-files.js';

/** Milliseconds that running requests have when the files have changed. */
const DRAIN = 1000;
/** Milliseconds between two looks whether somebody has migrated the content. */
const LOOK = 500;

const tell = (report: Report): Promise<void> =>
  new Promise((sent) => {
    if (process.send) process.send(report, () => sent());
    else sent();
  });

const waiting = new Map<Order['do'], (order: Order) => void>();
const early: Order[] = [];

/** The next order of a kind, which may have come already. */
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
// Ctrl-C is sent to all processes of a terminal; the first of them says what is to be done.
process.on('SIGINT', () => undefined);
process.on('disconnect', () => process.exit());

const envOf = ({ port, host }: WorkerOptions): NodeJS.ProcessEnv => ({
  ...process.env,
  ...(port !== null && { PORT: port }),
  ...(host !== null && { HOST: host }),
});

type Start = Extract<Order, { do: 'start' }>;

/** Serves the project, and tells each step; again after a migration where one is needed. @throws what keeps it from being served */
async function start({ options, greet }: Start): Promise<Serving> {
  const { root, agreed, seed } = options;
  const env = envOf(options);
  const parts = await readProject(root, await loadConfig(root, env));
  await tell({ is: 'contract', contract: contractOf(parts) });
  await tell({ is: 'database', database: parts.config.database });
  const { uri } = await order('open');
  const overrides: ConfigOverrides = {
    server: { drainMs: DRAIN },
    ...(uri !== null && { database: { uri } }),
  };
  const open = () =>
    serve({
      root,
      env,
      agreed,
      overrides,
      ...(seed && { seed: seedOf(root) }),
      ...(greet && { print: printGreeting }),
      beforeListen: async () => {
        await tell({ is: 'prepared' });
        await order('listen');
      },
    });
  const serving = await open().catch(async (error: unknown) => {
    if (!(error instanceof MigrationError)) throw error;
    await tell({ is: 'failed', why: explainError(error), waits: true });
    return openMigrated({ ...parts.config.database, ...(uri !== null && { uri }) }, open);
  });
  const types = await writeTypes(root, parts.schema, options.types);
  await tell({ is: 'listening', port: serving.port, types });
  return serving;
}

/**
 * Opens once the content is migrated: tries whenever more is noted of migrations. What is noted is read before each try, so that
 * a migration that ends meanwhile is met by the next one; a run is noted before it is done.
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
      do await wait(LOOK);
      while ((await standing()) === before);
    }
  } finally {
    await store.close();
    await database.close();
  }
}

await tell({ is: 'warm' });
try {
  const { stop } = await start(await order('start'));
  await order('stop');
  await stop();
  process.exit(0);
} catch (error) {
  await tell({ is: 'failed', why: explainError(error), waits: false });
  process.exit(1);
}
