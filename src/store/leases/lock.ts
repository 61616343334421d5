import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { deleteNamed } from '../connection/delete.js';
import { insertedFirst } from '../connection/insert.js';
import { keepAlive, type Leased, type LeasedCollection, takeOver } from './lease.js';

export interface Lock {
  /** True once another process has taken the lock over: nothing more may be written. */
  readonly lost: boolean;
  release(): Promise<void>;
}

/** Where a lock is kept: at most one live process holds the document with this `_id`. */
interface LockPlace {
  readonly documents: LeasedCollection;
  readonly _id: string;
}

/**
 * Milliseconds without a heartbeat after which the holder is considered dead, by the clock of the waiting
 * process.
 */
const LEASE = 5000;

/** Takes a lock, if need be after watching its holder for the length of a lease; null if a live process holds it. */
export async function takeLock({ documents, _id }: LockPlace, lease = LEASE): Promise<Lock | null> {
  const owner = randomUUID();
  const note = { _id, owner, beat: 0, pid: process.pid, host: hostname() };
  const insert = (): Promise<boolean> => insertedFirst(documents, note);
  /** Takes the lock if its beat does not change for the length of a lease. */
  const waitAndTake = async (): Promise<boolean> => {
    const seen = await documents.findOne<Leased>({ _id });
    if (!seen) return insert();
    await sleep(lease);
    return (await takeOver(documents, seen, { by: owner, set: { pid: note.pid, host: note.host } })) !== null;
  };
  if (!(await insert()) && !(await waitAndTake())) return null;
  const life = keepAlive(documents, { _id, owner }, { every: lease / 5 });
  return {
    get lost() {
      return life.lost;
    },
    release: async () => {
      life.stop();
      await deleteNamed(documents, { _id, owner });
    },
  };
}

interface Holding {
  /** Nothing is done if it aborts before the lock is taken. */
  readonly signal: AbortSignal;
  readonly lease?: number | undefined;
}

/** Runs `work` with a lock, and releases it then; does nothing if a live process holds it. */
export async function whileHolding(
  place: LockPlace,
  { signal, lease }: Holding,
  work: (lock: Lock) => Promise<void>,
): Promise<void> {
  const stopped = new Promise<null>((resolve) =>
    signal.addEventListener('abort', () => resolve(null), { once: true }),
  );
  // Taking it may mean to watch its holder for a while.
  const taking = takeLock(place, lease);
  const lock = await Promise.race([taking, stopped]);
  if (!lock) {
    void taking.then((late) => late?.release()).catch(() => undefined);
    return;
  }
  try {
    await work(lock);
  } finally {
    await lock.release();
  }
}

/** The process that holds a lock, as text; null if nobody does. */
export async function lockHolder({ documents, _id }: LockPlace): Promise<string | null> {
  const found = await documents.findOne({ _id });
  return found && `process ${String(found['pid'])} on ${String(found['host'])}`;
}

/** Whether this process of this machine holds the lock and is alive: its heart beats within the length of a lease. */
export async function isHeldBy(pid: number, { documents, _id }: LockPlace, lease = LEASE): Promise<boolean> {
  const beatOf = async (): Promise<number | undefined> =>
    (await documents.findOne<Leased>({ _id, pid }))?.beat;
  const first = await beatOf();
  if (first === undefined) return false;
  const end = performance.now() + lease;
  let now: number | undefined = first;
  while (now === first && performance.now() < end) {
    await sleep(lease / 25);
    now = await beatOf();
  }
  return now !== undefined && now !== first;
}
