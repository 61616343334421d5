import type { Config } from '../config/types.js';
import { type Database, openDatabase } from '../database.js';
import { reasonOf } from '../values/reason-of.js';
import { type ContractSnapshot, contractChanges, storedChanges } from './contract.js';
import type { WorkerMessage, WorkerOptions } from './messages.js';
import { watchProject } from './watch.js';
import { startWorker, type WorkerProcess } from './worker-process.js';

/** Milliseconds that a worker has to exit after its requests have drained. */
const PATIENCE = 5000;

interface DevOptions extends WorkerOptions {
  /** Further files and folders to watch, relative to the project. */
  readonly watch: readonly string[];
  /** Called with messages for the developer. */
  readonly say: (text: string) => void;
}

interface Supervision {
  stop(): Promise<void>;
}

interface Attempt {
  readonly worker: WorkerProcess;
  readonly files: readonly string[];
  /** Start time by `performance.now()`. */
  readonly begun: number;
  contract: ContractSnapshot | null;
}

/**
 * Serves a project and reloads it whenever its files change. If the new version cannot be served, the error
 * is reported and the previous version stays up. The database stays open throughout, and a process with its
 * modules loaded waits for the next change.
 */
export async function supervise({ watch, say, ...options }: DevOptions): Promise<Supervision> {
  const { root } = options;
  let database: Promise<Database | null> | null = null;
  let serving: Attempt | null = null;
  let starting: Attempt | null = null;
  /** A process that has loaded its modules, or is doing so. */
  let standby: WorkerProcess | null = startWorker(root);
  /** The contract of the version that was served last. */
  let served: ContractSnapshot | null = null;
  let stopping = false;
  let greeted = false;

  /** The embedded engine or a local mongod is started once, and used by every worker. */
  const databaseFor = async (settings: Config['database']): Promise<string | null> => {
    if (settings.uri !== null) return null;
    database ??= openDatabase({ database: settings });
    const open = await database.catch((error: unknown) => {
      database = null;
      throw error;
    });
    return settings.engine === 'mongod' ? (open?.uri ?? null) : null;
  };

  const prepareNext = (): void => {
    if (!stopping && !starting) standby ??= startWorker(root);
  };

  const end = async ({ worker }: Attempt): Promise<void> => {
    worker.send({ do: 'stop' });
    const late = setTimeout(() => worker.kill(), PATIENCE);
    await worker.ended;
    clearTimeout(late);
  };

  const tellChanges = ({ files, contract }: Attempt): void => {
    if (files.length === 0) return;
    const before = served;
    const changes = before && contract ? contractChanges(before, contract) : [];
    const stored = before && contract ? storedChanges(before, contract) : [];
    say(
      [
        `${files.join(', ')} changed`,
        ...changes.map((line) => `  ${line}`),
        ...stored.map((line) => `  stored: ${line}`),
      ].join('\n'),
    );
  };

  const listenTo = (attempt: Attempt) => {
    const { worker } = attempt;
    const heard: {
      readonly [K in WorkerMessage['is']]?: (
        report: Extract<WorkerMessage, { is: K }>,
      ) => Promise<void> | void;
    } = {
      contract: ({ contract }) => {
        attempt.contract = contract;
        tellChanges(attempt);
      },
      database: async (report) => {
        const uri = await databaseFor(report.database).catch((error: unknown) => {
          say(reasonOf(error));
          worker.kill();
          return null;
        });
        worker.send({ do: 'open', uri });
      },
      prepared: async () => {
        const old = serving;
        serving = null;
        if (old) await end(old);
        worker.send({ do: 'listen' });
      },
      listening: ({ port, types }) => {
        serving = attempt;
        starting = null;
        greeted = true;
        served = attempt.contract;
        for (const file of types) say(`${file} written`);
        const took = Math.round(performance.now() - attempt.begun);
        if (attempt.files.length > 0) say(`served again on port ${port} after ${took} ms`);
        prepareNext();
      },
      failed: ({ why, waits }) => {
        const before = serving ? 'The previous version stays up.' : 'Nothing is served.';
        const until = waits ? 'until the content is migrated or files change' : 'until files change';
        say(`${why}\n${before} Waiting ${until}.`);
      },
    };
    worker.onReport((report) => {
      const take = heard[report.is] as ((report: WorkerMessage) => Promise<void> | void) | undefined;
      void take?.(report);
    });
    void worker.ended.then(() => {
      if (starting === attempt) starting = null;
      prepareNext();
      if (serving !== attempt) return;
      serving = null;
      if (!stopping) say('The server exited. Waiting for file changes.');
    });
  };

  const begin = async (files: readonly string[], begun: number): Promise<void> => {
    if (stopping) return;
    const former = starting;
    const attempt: Attempt = { worker: standby ?? startWorker(root), files, begun, contract: null };
    standby = null;
    starting = attempt;
    listenTo(attempt);
    former?.worker.kill();
    await Promise.all([former?.worker.ended, attempt.worker.warm]);
    if (starting === attempt) attempt.worker.send({ do: 'start', options, greet: !greeted });
  };

  const watching = await watchProject(root, watch, (files) => void begin(files, performance.now()));
  await begin([], performance.now());

  return {
    async stop() {
      stopping = true;
      await watching.close();
      starting?.worker.kill();
      standby?.kill();
      if (serving) await end(serving);
      await (await database)?.close();
    },
  };
}
