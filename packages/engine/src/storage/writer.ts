import { EngineError } from '../errors.js';
import { Batch, type BatchContext } from './batch.js';
import { Blocked } from './conflicts.js';
import { storageError } from './store.js';

interface Job {
  readonly run: (batch: Batch) => unknown;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
  /** How many milliseconds the job may still wait for a transaction to end. */
  readonly patience: () => number;
}

const endless = (): number => Number.POSITIVE_INFINITY;

/** Thrown through lmdb's transaction to abort it: one job failed after it had written. */
class Undo extends Error {
  constructor(
    readonly job: Job,
    readonly reason: unknown,
  ) {
    super('undo');
  }
}

/**
 * The single writer. Jobs that arrive in the same turn share an lmdb transaction and its flush (group commit), and each is
 * answered after the flush. A job depends only on the batch, since it runs again if another job of its batch has to be undone.
 */
export class Writer {
  private queue: Job[] = [];
  private scheduled = false;
  private closed = false;
  /** Called after each commit. */
  onCommit: (batch: Batch) => void = () => {};

  constructor(private readonly context: BatchContext) {}

  /**
   * Runs a job in the next commit. Resolves with its result once that is on disk; rejects with `EngineError`, or with
   * MaxTimeMSExpired when it has waited too long for a transaction that holds what it writes.
   */
  run<T>(job: (batch: Batch) => T, patience: () => number = endless): Promise<T> {
    return new Promise((resolve, reject) => {
      this.enqueue({ run: job, resolve: resolve as (value: unknown) => void, reject, patience });
    });
  }

  /** Rejects further jobs and waits for those in progress. */
  async close(): Promise<void> {
    await this.run(() => undefined).catch(() => undefined);
    this.closed = true;
  }

  private enqueue(job: Job): void {
    if (this.closed) {
      job.reject(new EngineError('InterruptedAtShutdown', 'interrupted at shutdown'));
      return;
    }
    this.queue.push(job);
    if (this.scheduled) return;
    this.scheduled = true;
    setImmediate(() => {
      this.scheduled = false;
      const jobs = this.queue;
      this.queue = [];
      this.commit(jobs);
    });
  }

  private commit(jobs: readonly Job[]): void {
    if (jobs.length === 0) return;
    const answers: (() => void)[] = [];
    let batch: Batch | undefined;
    try {
      batch = this.context.store.transactionSync(() => this.runAll(jobs, answers));
      this.context.store.resetReadTxn();
    } catch (error) {
      this.context.store.resetReadTxn();
      this.recover(jobs, error);
      return;
    }
    batch.publish();
    for (const answer of answers) answer();
    this.onCommit(batch);
  }

  private runAll(jobs: readonly Job[], answers: (() => void)[]): Batch {
    const batch = new Batch(this.context);
    for (const job of jobs) {
      const before = batch.writes;
      try {
        const value = job.run(batch);
        answers.push(() => job.resolve(value));
      } catch (error) {
        if (batch.writes !== before || !(error instanceof EngineError || error instanceof Blocked)) {
          throw new Undo(job, error);
        }
        answers.push(() => this.settle(job, error));
      }
    }
    batch.finish();
    return batch;
  }

  /** Nothing of the batch is stored: the failed job is answered, the others run again. */
  private recover(jobs: readonly Job[], error: unknown): void {
    if (error instanceof Undo) {
      this.settle(error.job, error.reason);
      this.commit(jobs.filter((job) => job !== error.job));
      return;
    }
    for (const job of jobs) job.reject(storageError(error));
  }

  private settle(job: Job, error: unknown): void {
    if (error instanceof Blocked) void this.waitFor(error.released, job);
    else job.reject(storageError(error));
  }

  private async waitFor(released: Promise<void>, job: Job): Promise<void> {
    const left = job.patience();
    let timer: NodeJS.Timeout | undefined;
    const timeout = new Promise<boolean>((resolve) => {
      if (left !== Number.POSITIVE_INFINITY) timer = setTimeout(() => resolve(true), Math.max(0, left));
    });
    const expired = await Promise.race([released.then(() => false), timeout]);
    clearTimeout(timer);
    if (expired) job.reject(new EngineError('MaxTimeMSExpired', 'operation exceeded time limit'));
    else this.enqueue(job);
  }
}
