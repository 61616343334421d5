/** Writes with a single atomic command: either all of its statements are applied or none. */
import { setTimeout as sleep } from 'node:timers/promises';
import { type MongoClient, MongoServerError } from 'mongodb';
import { oncePer } from '../../values/once-per.js';
import { batchPerTick } from '../connection/batch-per-tick.js';
import { isDuplicateKey } from '../connection/duplicate.js';
import type { Store } from '../connection/store.js';
import { isUnavailable } from '../connection/unavailable.js';
import { WriteConflict } from '../entries/apply-step.js';
import type { Write } from '../entries/changes.js';
import { type ChangeEvent, haveEvents } from '../outbox/outbox.js';
import { type Bulk, bulkOf } from './bulk.js';

const adminOf = oncePer((client: MongoClient) => client.db('admin'));

/** The embedded engine's code for a statement that matches nothing. */
const NO_MATCHING_DOCUMENT = 47;
/** Milliseconds. */
const PAUSE = 100;

type AtOnce = Pick<Store, 'client' | 'db' | 'writeLimits'>;

const send = ({ client, writeLimits }: AtOnce, { command }: Bulk): Promise<unknown> =>
  adminOf(client).command(
    { ...command, atomic: true, maxTimeMS: writeLimits.maxCommitTimeMS },
    { ignoreUndefined: true },
  );

/** One per store, so that all writes of a process can be combined. */
const gathererOf = oncePer((store: Store) =>
  batchPerTick(async (writes: readonly Write[]): Promise<boolean[]> => {
    const bulk = bulkOf(store.db, {
      steps: writes.flatMap(({ steps }) => steps),
      events: writes.flatMap(({ events }) => events),
    });
    const isDone = bulk !== null && (await send(store, bulk).then(toTrue, toFalse));
    return writes.map(() => isDone);
  }),
);

const toTrue = () => true;
const toFalse = () => false;

/**
 * Sends a write together with others of the same turn of the event loop, as one commit. True: it is applied.
 * Null: there was no other write, so nothing was sent. False: one of them was refused, and so all of them, or
 * the response was lost; each has to be sent individually.
 */
export const writeTogether = (store: Store, write: Write): Promise<boolean | null> =>
  gathererOf(store)(write);

/** A write as one command. */
interface OneCommand {
  readonly bulk: Bulk;
  /** One of its events. */
  readonly event: ChangeEvent;
  /** Whether it was sent before, so that it may already be applied. */
  readonly wasSent: boolean;
}

/**
 * Sends a write. If the response is lost, the command is sent again. It cannot be applied twice, since the
 * revisions that it compares are gone, and `event`, which is written with it, shows whether an earlier
 * attempt succeeded. Throws `WriteConflict` if a statement matches nothing, and the server's error if it is
 * refused.
 */
export async function writeAtOnce(store: AtOnce, { bulk, event, wasSent }: OneCommand): Promise<void> {
  const end = Date.now() + store.writeLimits.retryMS;
  for (let mayBeStored = wasSent; ; mayBeStored = true)
    try {
      await send(store, bulk);
      return;
    } catch (error) {
      if (isUnavailable(error) && Date.now() < end) {
        await sleep(Math.random() * PAUSE);
        continue;
      }
      const isRefused = isUnmatched(error) || isDuplicateKey(error);
      if (mayBeStored && isRefused && (await haveEvents(store.db, [event]))) return;
      throw isUnmatched(error) ? new WriteConflict(bulk.collections[0] ?? '') : error;
    }
}

const isUnmatched = (error: unknown): boolean =>
  error instanceof MongoServerError && error.code === NO_MATCHING_DOCUMENT;
