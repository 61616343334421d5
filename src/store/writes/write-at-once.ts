/** Writes that are one command: all of its statements are one commit, or none is done. */
import { setTimeout as sleep } from 'node:timers/promises';
import { type MongoClient, MongoServerError } from 'mongodb';
import { oncePer } from '../../values/once-per.js';
import { isDuplicateKey } from '../connection/duplicate.js';
import { inOneTurn } from '../connection/gather.js';
import type { Store } from '../connection/store.js';
import { isUnavailable } from '../connection/unavailable.js';
import { WriteConflict } from '../entries/apply-step.js';
import type { Write } from '../entries/changes.js';
import { type ChangeEvent, haveEvents } from '../outbox/outbox.js';
import { type Bulk, bulkOf } from './bulk.js';

const adminOf = oncePer((client: MongoClient) => client.db('admin'));

/** The engine's code where a statement finds nothing to change. */
const NO_MATCHING_DOCUMENT = 47;
/** Milliseconds. */
const PAUSE = 100;

type AtOnce = Pick<Store, 'client' | 'db' | 'writeLimits'>;

const send = ({ client, writeLimits }: AtOnce, { command }: Bulk): Promise<unknown> =>
  adminOf(client).command(
    { ...command, atomic: true, maxTimeMS: writeLimits.maxCommitTimeMS },
    { ignoreUndefined: true },
  );

/** By store, so that writers of one process meet. */
const gathererOf = oncePer((store: Store) =>
  inOneTurn(async (writes: readonly Write[]): Promise<boolean[]> => {
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
 * Sends a write with those of others that come in one turn of the event loop, as one commit. True: it is done; null: it had no company,
 * so nothing was sent. False: one of them was refused, and all with it, or the answer was lost; each has to be sent alone.
 */
export const writeTogether = (store: Store, write: Write): Promise<boolean | null> =>
  gathererOf(store)(write);

/** A write as one command. */
interface OneCommand {
  readonly bulk: Bulk;
  /** One of its events. */
  readonly event: ChangeEvent;
  /** It may be stored already: it was sent before. */
  readonly wasSent: boolean;
}

/**
 * Sends a write. Where its answer is lost it is sent again, which changes nothing that was changed before: the revisions that it names
 * have gone, and `event`, which came with them, tells whose write that was. Throws `WriteConflict` where a statement finds nothing, and
 * the server's error where it refuses one.
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
