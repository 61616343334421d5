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

interface Attempt {
  readonly worker: WorkerProcess;
  readonly files: readonly string[];
  /** Start time by `performance.now()`. */
  readonly begun: number;
  contract: ContractSnapshot | null;
  /** Whether the developer knows why it is not served. */
  isTold: boolean;
}

type Report<K extends WorkerMessage['is']> = Extract<WorkerMessage, { is: K }>;

type Heard = { readonly [K in WorkerMessage['is']]?: (report: Report<K>) => Promise<void> | void };

/** A project that is served, with what its processes are doing. */
class Supervision {
  private database: Promise<Database | null> | null = null;
  private serving: Attempt | null = null;
  private starting: Attempt | null = null;
  /** A process that has loaded its modules, or is doing so. */
  private standby: WorkerProcess | null;
  /** The contract of the version that was served last. */
  private served: ContractSnapshot | null = null;
  private stopping = false;
  private greeted = false;

  constructor(
    private readonly options: WorkerOptions,
    private readonly say: (text: string) => void,
  ) {
    this.standby = startWorker(options.root);
  }

  /** Starts the project as its files are now, in the place of what is being started. */
  async begin(files: readonly string[], begun: number): Promise<void> {
    if (this.stopping) return;
    const { root } = this.options;
    const former = this.starting;
    const attempt: Attempt = {
      worker: this.standby ?? startWorker(root),
      files,
      begun,
      contract: null,
      isTold: false,
    };
    this.standby = null;
    this.starting = attempt;
    this.listenTo(attempt);
    former?.worker.kill();
    await Promise.all([former?.worker.ended, attempt.worker.warm]);
    if (this.starting === attempt)
      attempt.worker.send({ do: 'start', options: this.options, greet: !this.greeted });
  }

  async stop(): Promise<void> {
    this.stopping = true;
    this.starting?.worker.kill();
    this.standby?.kill();
    if (this.serving) await this.end(this.serving);
    await (await this.database)?.close();
  }

  private listenTo(attempt: Attempt): void {
    const { worker } = attempt;
    const heard: Heard = {
      contract: ({ contract }) => {
        attempt.contract = contract;
        this.tellChanges(attempt);
      },
      database: ({ database }) => this.openFor(attempt, database),
      prepared: () => this.takeOver(attempt),
      listening: (report) => this.listening(attempt, report),
      failed: (report) => this.failed(attempt, report),
    };
    worker.onReport((report) => {
      const take = heard[report.is] as ((report: WorkerMessage) => Promise<void> | void) | undefined;
      void take?.(report);
    });
    void worker.ended.then(() => this.ended(attempt));
  }

  private tellChanges({ files, contract }: Attempt): void {
    if (files.length === 0) return;
    const before = this.served;
    const changes = before && contract ? contractChanges(before, contract) : [];
    const stored = before && contract ? storedChanges(before, contract) : [];
    this.say(
      [
        `${files.join(', ')} changed`,
        ...changes.map((line) => `  ${line}`),
        ...stored.map((line) => `  stored: ${line}`),
      ].join('\n'),
    );
  }

  private async openFor(attempt: Attempt, settings: Config['database']): Promise<void> {
    const { worker } = attempt;
    const uri = await this.databaseFor(settings).catch((error: unknown) => {
      attempt.isTold = true;
      this.say(reasonOf(error));
      worker.kill();
      return null;
    });
    worker.send({ do: 'open', uri });
  }

  /** The embedded engine or a local mongod is started once, and used by every worker. */
  private async databaseFor(settings: Config['database']): Promise<string | null> {
    if (settings.uri !== null) return null;
    this.database ??= openDatabase({ database: settings });
    const open = await this.database.catch((error: unknown) => {
      this.database = null;
      throw error;
    });
    return settings.engine === 'mongod' ? (open?.uri ?? null) : null;
  }

  /** From here on this version is the one that stays up: the old one is gone when the next change comes. */
  private async takeOver(attempt: Attempt): Promise<void> {
    const old = this.serving;
    this.serving = attempt;
    this.starting = null;
    if (old) await this.end(old);
    attempt.worker.send({ do: 'listen' });
  }

  private listening(attempt: Attempt, { port, types }: Report<'listening'>): void {
    this.greeted = true;
    this.served = attempt.contract;
    for (const file of types) this.say(`${file} written`);
    const took = Math.round(performance.now() - attempt.begun);
    if (attempt.files.length > 0) this.say(`served again on port ${port} after ${took} ms`);
    this.prepareNext();
  }

  private failed(attempt: Attempt, { why, waits }: Report<'failed'>): void {
    attempt.isTold = true;
    if (this.serving === attempt) this.serving = null;
    this.tellNotServed(why, waits ? 'until the content is migrated or files change' : 'until files change');
  }

  private tellNotServed(why: string, until: string): void {
    const before = this.serving ? 'The previous version stays up.' : 'Nothing is served.';
    this.say(`${why}\n${before} Waiting ${until}.`);
  }

  private ended(attempt: Attempt): void {
    if (this.starting === attempt) {
      this.starting = null;
      if (!attempt.isTold && !this.stopping)
        this.tellNotServed('The new version exited before it was served.', 'until files change');
    }
    this.prepareNext();
    if (this.serving !== attempt) return;
    this.serving = null;
    if (!this.stopping) this.say('The server exited. Waiting for file changes.');
  }

  private prepareNext(): void {
    if (!this.stopping && !this.starting) this.standby ??= startWorker(this.options.root);
  }

  private async end({ worker }: Attempt): Promise<void> {
    worker.send({ do: 'stop' });
    const late = setTimeout(() => worker.kill(), PATIENCE);
    await worker.ended;
    clearTimeout(late);
  }
}

/**
 * Serves a project and reloads it whenever its files change. If the new version cannot be served, the error
 * is reported and the previous version stays up. The database stays open throughout, and a process with its
 * modules loaded waits for the next change.
 */
export async function supervise({
  watch,
  say,
  ...options
}: DevOptions): Promise<{ readonly stop: () => Promise<void> }> {
  const supervision = new Supervision(options, say);
  const begin = (files: readonly string[]): Promise<void> => supervision.begin(files, performance.now());
  const watching = await watchProject(options.root, watch, (files) => void begin(files));
  await begin([]);
  return {
    async stop() {
      await Promise.all([supervision.stop(), watching.close()]);
    },
  };
}
