/** Several processes that serve one project on one port, with one engine (`--workers`). */
import cluster, { type Worker } from 'node:cluster';
import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { loadConfig } from '../../config/load.js';
import type { Config } from '../../config/types.js';
import { type Database, openDatabase } from '../../database.js';
import { createEventLog, type EventLog } from '../../events/event-log.js';
import type { RunOptions } from '../run-options.js';
import { joinedMetrics, send } from './joined-metrics.js';
import { type FromWorker, ORDER, type WorkerOrder } from './messages.js';

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

/** Workers find a local mongod by its URI, but an embedded engine by its folder. */
const addressOf = ({ database }: Config, uri: string): Record<string, string> =>
  database.uri === null && database.engine === 'mongod' ? { MONGODB_URI: uri } : {};

/** The processes that serve, and the database that they share. */
class Workers {
  private readonly places: WorkerPlace[] = [];
  private giveUp = (): void => undefined;
  /** Resolves when a worker cannot be kept running. */
  readonly failed = new Promise<void>((resolve) => {
    this.giveUp = resolve;
  });
  private stopping = false;
  private restarting = Promise.resolve();

  constructor(
    private readonly options: RunOptions,
    private readonly config: Config,
    private readonly database: Database,
    private readonly events: EventLog,
  ) {}

  /** Starts another one. Rejects if it cannot serve. */
  async add(number: number): Promise<void> {
    const isFirst = number === 1;
    const worker = await this.start(number, { isFirst, isFirstOfStart: isFirst });
    const begun = performance.now();
    const place = { number, worker, begun, failures: 0, replacing: Promise.resolve(), leaves: false };
    this.places.push(place);
    this.watch(place);
  }

  /** Replaces the processes one after the other, while requests continue to be answered. */
  restart(): Promise<void> {
    this.restarting = this.restarting.then(() => this.restartAll());
    return this.restarting;
  }

  /** Waits for running requests, then closes the database. */
  async stop(): Promise<void> {
    this.stopping = true;
    await Promise.all(Object.values(cluster.workers ?? {}).map((worker) => worker && this.end(worker)));
    await this.database.close();
  }

  /** Starts a process that serves. Rejects if it exits before it listens. */
  private start(
    number: number,
    { isFirst, isFirstOfStart }: Pick<WorkerOrder, 'isFirstOfStart'> & { readonly isFirst?: boolean },
  ): Promise<Worker> {
    const { root, env, agreed, ignoreCode, seed } = this.options;
    const order: WorkerOrder = {
      number,
      root,
      agreed,
      ignoreCode,
      seed: isFirst ? seed : null,
      greets: isFirst === true,
      isFirstOfStart,
    };
    const worker = cluster.fork({
      ...env,
      ...addressOf(this.config, this.database.uri),
      [ORDER]: JSON.stringify(order),
    });
    worker.on('message', (message: FromWorker) => {
      if (message.is !== 'all-metrics-requested') return;
      const { id } = message;
      const places = this.places.toSorted((a, b) => a.number - b.number);
      void joinedMetrics(places.map((place) => place.worker)).then((text) =>
        send(worker, { do: 'receive-all-metrics', id, text }),
      );
    });
    return new Promise((resolve, reject) => {
      const ended = (code: number | null, signal: string | null): void =>
        reject(new Error(`worker ${number} exited before it could serve: ${signal ?? `exit code ${code}`}`));
      worker.once('exit', ended);
      worker.once('listening', () => {
        worker.off('exit', ended);
        resolve(worker);
      });
    });
  }

  /** Replaces a worker whenever it exits unexpectedly. */
  private watch(place: WorkerPlace): void {
    const { worker, number } = place;
    worker.once('exit', (code, signal) => {
      if (this.stopping || place.leaves || place.worker !== worker) return;
      this.events.record({ name: 'worker-ended', worker: number, reason: signal ?? `exit code ${code}` });
      place.replacing = this.replace(place);
    });
  }

  private async replace(place: WorkerPlace): Promise<void> {
    const isSteady = performance.now() - place.begun >= STEADY_MS;
    place.failures = isSteady ? 0 : place.failures + 1;
    for (; !this.stopping; place.failures += 1) {
      if (place.failures >= MAX_FAILURES) {
        this.events.record({ name: 'worker-given-up', worker: place.number });
        return this.giveUp();
      }
      await wait(Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** place.failures));
      if (this.stopping) return;
      const worker = await this.start(place.number, { isFirstOfStart: false }).catch(() => null);
      if (!worker) continue;
      place.worker = worker;
      place.begun = performance.now();
      if (this.stopping) return this.end(worker);
      return this.watch(place);
    }
  }

  private async end(worker: Worker): Promise<void> {
    if (worker.isDead()) return;
    const ended = once(worker, 'exit');
    send(worker, { do: 'stop' });
    const late = setTimeout(() => worker.process.kill('SIGKILL'), this.config.server.drainMs + PATIENCE_MS);
    await ended;
    clearTimeout(late);
  }

  private async restartAll(): Promise<void> {
    for (const place of this.places) {
      await place.replacing;
      if (this.stopping) return;
      const former = place.worker;
      place.leaves = true;
      try {
        place.worker = await this.start(place.number, { isFirstOfStart: place === this.places[0] });
      } catch (error) {
        this.events.record({ name: 'worker-not-replaced', worker: place.number, err: error });
        if (former.isDead()) place.replacing = this.replace(place);
        return;
      } finally {
        place.leaves = false;
      }
      place.begun = performance.now();
      this.watch(place);
      await this.end(former);
    }
    this.events.record({ name: 'workers-restarted' });
  }
}

/**
 * Opens the database and serves the project from several processes. Rejects if the first of them cannot
 * serve.
 */
export async function serveWithWorkers(options: RunOptions): Promise<Workers> {
  const { root, workers: count, env } = options;
  const config = await loadConfig(root, env);
  const events = createEventLog({ level: 'info', production: true });
  events.configure({
    level: config.middlewares.logger.level,
    production: config.environment === 'production',
  });
  cluster.setupPrimary({ exec: FILE, cwd: root });
  const workers = new Workers(options, config, await openDatabase(config), events);
  try {
    // The first worker creates indexes and seeds; the others find that done.
    await workers.add(1);
    await Promise.all(Array.from({ length: count - 1 }, (_, at) => workers.add(at + 2)));
  } catch (error) {
    await workers.stop();
    throw error;
  }
  return workers;
}
