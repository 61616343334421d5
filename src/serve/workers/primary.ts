/** Several processes that serve one project on one port, with one engine (`--workers`). */
import cluster, { type Worker } from 'node:cluster';
import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { loadConfig } from '../../config/load.js';
import type { Config } from '../../config/types.js';
import { openDatabase } from '../../database.js';
import { createEventLog } from '../../events/event-log.js';
import { type MetricValues, metricsOfAll } from '../../events/metrics.js';
import type { RunOptions } from '../run-options.js';
import { type FromWorker, ORDER, type ToWorker, type WorkerOrder } from './messages.js';

/** The compiled file, or the source if the sources are run. */
const FILE = fileURLToPath(
  new URL(import.meta.url.endsWith('.ts') ? 'worker.ts' : 'worker.js', import.meta.url),
);
/** A worker that runs for at least this many milliseconds counts as working. */
const STEADY_MS = 10_000;
/** How often in a row a worker may exit earlier than that. */
const MAX_FAILURES = 5;
const [FIRST_PAUSE_MS, LONGEST_PAUSE_MS] = [100, 5000];
/** Milliseconds that a worker has to exit after its requests have drained. */
const PATIENCE_MS = 5000;
/** Milliseconds that workers have to send their metrics. */
const METRICS_MS = 1000;

interface Workers {
  /** Replaces the processes one after the other, while requests continue to be answered. */
  restart(): Promise<void>;
  /** Waits for running requests, then closes the database. */
  stop(): Promise<void>;
  /** Resolves when a worker cannot be kept running. */
  readonly failed: Promise<void>;
}

/** A worker and what is known about it. */
interface WorkerPlace {
  readonly number: number;
  worker: Worker;
  /** Start time by `performance.now()`. */
  begun: number;
  failures: number;
  /** The replacement of an exited process, if in progress. */
  replacing: Promise<void>;
  /** Whether SIGHUP is replacing it. */
  leaves: boolean;
}

const send = (worker: Worker, message: ToWorker): void => {
  if (worker.isConnected()) worker.send(message, () => undefined);
};

/** Workers find a local mongod by its URI, but an embedded engine by its folder. */
const addressOf = ({ database }: Config, uri: string): Record<string, string> =>
  database.uri === null && database.engine === 'mongod' ? { MONGODB_URI: uri } : {};

/**
 * Opens the database and serves the project from several processes. Rejects if the first of them cannot
 * serve.
 */
export async function serveWithWorkers(options: RunOptions): Promise<Workers> {
  const { root, workers: count, env, agreed, ignoreCode } = options;
  const config = await loadConfig(root, env);
  const events = createEventLog({ level: 'info', production: true });
  events.configure({
    level: config.middlewares.logger.level,
    production: config.environment === 'production',
  });
  const database = await openDatabase(config);
  cluster.setupPrimary({ exec: FILE, cwd: root });
  const places: WorkerPlace[] = [];
  let giveUp = (): void => undefined;
  const failed = new Promise<void>((resolve) => {
    giveUp = resolve;
  });
  let stopping = false;

  const joinMetrics = async (): Promise<string> => {
    const found = new Map<number, MetricValues>();
    const id = performance.now();
    const answers = places.map(async ({ number, worker }) => {
      const answered = new Promise<void>((resolve) => {
        const listen = (message: FromWorker): void => {
          if (message.is !== 'metrics' || message.id !== id) return;
          worker.off('message', listen);
          found.set(number, message.values);
          resolve();
        };
        worker.on('message', listen);
        setTimeout(() => {
          worker.off('message', listen);
          resolve();
        }, METRICS_MS).unref();
      });
      send(worker, { do: 'send-metrics', id });
      await answered;
    });
    await Promise.all(answers);
    return metricsOfAll([...found].sort(([a], [b]) => a - b).map(([, values]) => values));
  };

  /** Starts a process that serves. Rejects if it exits before it listens. */
  const start = (
    number: number,
    { isFirst, isFirstOfStart }: Pick<WorkerOrder, 'isFirstOfStart'> & { readonly isFirst?: boolean },
  ): Promise<Worker> =>
    new Promise((resolve, reject) => {
      const order: WorkerOrder = {
        number,
        root,
        agreed,
        ignoreCode,
        seed: isFirst ? options.seed : null,
        greets: isFirst === true,
        isFirstOfStart,
      };
      const worker = cluster.fork({
        ...env,
        ...addressOf(config, database.uri),
        [ORDER]: JSON.stringify(order),
      });
      const ended = (code: number | null, signal: string | null): void =>
        reject(new Error(`worker ${number} exited before it could serve: ${signal ?? `exit code ${code}`}`));
      worker.once('exit', ended);
      worker.once('listening', () => {
        worker.off('exit', ended);
        resolve(worker);
      });
      worker.on('message', (message: FromWorker) => {
        if (message.is !== 'all-metrics-requested') return;
        const { id } = message;
        void joinMetrics().then((text) => send(worker, { do: 'receive-all-metrics', id, text }));
      });
    });

  /** Replaces a worker whenever it exits unexpectedly. */
  const watch = (place: WorkerPlace): void => {
    const { worker, number } = place;
    worker.once('exit', (code, signal) => {
      if (stopping || place.leaves || place.worker !== worker) return;
      events.record({ name: 'worker-ended', worker: number, reason: signal ?? `exit code ${code}` });
      place.replacing = replace(place);
    });
  };

  const replace = async (place: WorkerPlace): Promise<void> => {
    const isSteady = performance.now() - place.begun >= STEADY_MS;
    place.failures = isSteady ? 0 : place.failures + 1;
    for (; !stopping; place.failures += 1) {
      if (place.failures >= MAX_FAILURES) {
        events.record({ name: 'worker-given-up', worker: place.number });
        return giveUp();
      }
      await wait(Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** place.failures));
      if (stopping) return;
      const worker = await start(place.number, { isFirstOfStart: false }).catch(() => null);
      if (!worker) continue;
      place.worker = worker;
      place.begun = performance.now();
      if (stopping) return void (await end(worker));
      return watch(place);
    }
  };

  const end = async (worker: Worker): Promise<void> => {
    if (worker.isDead()) return;
    const ended = once(worker, 'exit');
    send(worker, { do: 'stop' });
    const late = setTimeout(() => worker.process.kill('SIGKILL'), config.server.drainMs + PATIENCE_MS);
    await ended;
    clearTimeout(late);
  };

  const add = async (number: number, isFirst: boolean): Promise<void> => {
    const worker = await start(number, { isFirst, isFirstOfStart: isFirst });
    const begun = performance.now();
    const place = { number, worker, begun, failures: 0, replacing: Promise.resolve(), leaves: false };
    places.push(place);
    watch(place);
  };

  const restartAll = async (): Promise<void> => {
    for (const place of places) {
      await place.replacing;
      if (stopping) return;
      const former = place.worker;
      place.leaves = true;
      try {
        place.worker = await start(place.number, { isFirstOfStart: place === places[0] });
      } catch (error) {
        events.record({ name: 'worker-not-replaced', worker: place.number, err: error });
        if (former.isDead()) place.replacing = replace(place);
        return;
      } finally {
        place.leaves = false;
      }
      place.begun = performance.now();
      watch(place);
      await end(former);
    }
    events.record({ name: 'workers-restarted' });
  };

  const stop = async (): Promise<void> => {
    stopping = true;
    await Promise.all(Object.values(cluster.workers ?? {}).map((worker) => worker && end(worker)));
    await database.close();
  };

  try {
    // The first worker creates indexes and seeds; the others find that done.
    await add(1, true);
    await Promise.all(Array.from({ length: count - 1 }, (_, at) => add(at + 2, false)));
  } catch (error) {
    await stop();
    throw error;
  }
  let restarting = Promise.resolve();
  return {
    restart: () => {
      restarting = restarting.then(restartAll);
      return restarting;
    },
    stop,
    failed,
  };
}
