import { randomUUID } from 'node:crypto';
import { ConfigError } from '../config/error.js';
import type { RecordEvent } from '../events/events.js';
import type { Store } from '../store/client.js';
import { dueJobs, endJob, keepJob, registerJob, type StoredJob, takeJob } from '../store/leases/jobs.js';
import { watchBeats } from '../store/leases/lease.js';
import { reasonOf } from '../values/reason-of.js';
import type { Job, Mangrove, ProjectDefinition } from './types.js';

interface ScheduleOptions {
  /** Milliseconds without a heartbeat after which a run counts as interrupted, by the observer's clock. */
  readonly lease?: number;
  /** Milliseconds between checks for due jobs. */
  readonly every?: number;
}

interface Schedule {
  /**
   * Starts no more jobs, signals those that are running, and waits for them at most `drainMs`. An unfinished
   * job is run again by the next process.
   */
  stop(drainMs: number): Promise<void>;
}

interface JobParts {
  readonly db: Store['db'];
  readonly record: RecordEvent;
}

/** The next time a job is due after `from`; null: never. */
type Next = (job: Job, from: Date) => Date | null;

const loadNext = async (): Promise<Next> => {
  const { Cron } = await import('croner').catch(() => {
    throw new ConfigError(['src/index › jobs: jobs require the package "croner"; npm install croner']);
  });
  return ({ cron, timezone = 'UTC' }, from) => new Cron(cron, { timezone, paused: true }).nextRun(from);
};

const NEVER = new Date(8.64e15);

/**
 * Starts the project's jobs in this process, coordinated with other processes. @throws ConfigError for an
 * invalid expression
 */
export async function startJobs(
  { jobs = {} }: ProjectDefinition,
  mangrove: Mangrove,
  { db, record }: JobParts,
  { lease = 10_000, every = 1000 }: ScheduleOptions = {},
): Promise<Schedule> {
  const names = Object.keys(jobs);
  if (names.length === 0) return { stop: async () => undefined };
  const next = await loadNext();
  const owner = randomUUID();
  const stopping = new AbortController();
  const others = watchBeats(lease);
  const running = new Map<string, Promise<void>>();

  const problems = Object.entries(jobs).flatMap(([name, job]) => {
    try {
      next(job, new Date());
      return [];
    } catch (error) {
      return [`src/index › jobs.${name}: ${reasonOf(error)}`];
    }
  });
  if (problems.length > 0) throw new ConfigError(problems);
  for (const [name, job] of Object.entries(jobs))
    await registerJob(db, name, `${job.cron} ${job.timezone ?? 'UTC'}`, next(job, new Date()) ?? NEVER);

  const isFree = (job: StoredJob): boolean => job.owner === null || others.isOverdue(job);

  const run = async (name: string, job: Job): Promise<void> => {
    const lost = new AbortController();
    const life = keepJob(db, { _id: name, owner }, lease / 3, () => lost.abort());
    const failure = await Promise.resolve()
      .then(() => job.run({ ...mangrove, signal: AbortSignal.any([stopping.signal, lost.signal]) }))
      .then(
        () => null,
        (error: unknown) => error ?? new TypeError(`it threw ${String(error)}`),
      );
    life.stop();
    // A job that was told to stop may be incomplete, so it stays due.
    const unfinished = failure !== null && stopping.signal.aborted;
    if (failure !== null && !unfinished) record({ name: 'job-failed', job: name, err: failure });
    const message = failure === null ? null : failure instanceof Error ? failure.message : String(failure);
    await endJob(db, { _id: name, owner }, unfinished ? null : (next(job, new Date()) ?? NEVER), message);
  };

  const look = async (): Promise<void> => {
    const idle = names.filter((name) => !running.has(name));
    for (const stored of await dueJobs(db, idle, new Date())) {
      const job = jobs[stored._id];
      if (stopping.signal.aborted || !job || !isFree(stored) || !(await takeJob(db, stored, owner))) continue;
      others.forget(stored._id);
      const done = run(stored._id, job)
        .catch((error: unknown) => record({ name: 'job-not-recorded', job: stored._id, err: error }))
        .finally(() => running.delete(stored._id));
      running.set(stored._id, done);
    }
  };

  let looking = Promise.resolve();
  // If the database does not respond, the next check tries again.
  const timer = setInterval(() => {
    looking = looking.then(look).catch((error: unknown) => record({ name: 'jobs-not-read', err: error }));
  }, every);
  return {
    async stop(drainMs) {
      clearInterval(timer);
      stopping.abort();
      await looking;
      let timeout: NodeJS.Timeout | undefined;
      const late = new Promise<void>((resolve) => {
        timeout = setTimeout(resolve, drainMs);
      });
      await Promise.race([Promise.all(running.values()), late]);
      clearTimeout(timeout);
    },
  };
}
