/** Writes that are one command: all of its statements are one commit, or none is done. */
import { setTimeout as sleep } from 'node:timers/promises';
import { type MongoClient, MongoServerError } from 'mongodb';
import { oncePer } from '../../values/once-per.js';
import { isDuplicateKey } from '../connection/duplicate.js';
import type { Store } from '../connection/store.js';
import { isUnavailable } from '../connection/unavailable.js';
import { WriteConflict } from '../entries/apply-step.js';
import { type ChangeEvent, haveEvents } from '../outbox/outbox.js';
import type { Bulk } from './bulk.js';

const adminOf = oncePer((client: MongoClient) => client.db('admin'));

/** The engine's code where a statement finds nothing to change. */
const NO_MATCHING_DOCUMENT = 47;
/** Milliseconds. */
const PAUSE = 100;

/**
 * Sends a write. Where its answer is lost it is sent again, which changes nothing that was changed before: the revisions that it names
 * have gone, and `event`, which came with them, tells whose write that was. Throws `WriteConflict` where a statement finds nothing, and
 * the server's error where it refuses one.
 */
export async function writeAtOnce(
  { client, db, writeLimits }: Pick<Store, 'client' | 'db' | 'writeLimits'>,
  { command, collections }: Bulk,
  event: ChangeEvent,
): Promise<void> {
  const end = Date.now() + writeLimits.retryMS;
  const admin = adminOf(client);
  const sent = { ...command, atomic: true, maxTimeMS: writeLimits.maxCommitTimeMS };
  for (let tries = 1; ; tries++)
    try {
      await admin.command(sent, { ignoreUndefined: true });
      return;
    } catch (error) {
      if (isUnavailable(error) && Date.now() < end) {
        await sleep(Math.random() * PAUSE);
        continue;
      }
      const isRefused = isUnmatched(error) || isDuplicateKey(error);
      if (tries > 1 && isRefused && (await haveEvents(db, [event]))) return;
      throw isUnmatched(error) ? new WriteConflict(collections[0] ?? '') : error;
    }
}

const isUnmatched = (error: unknown): boolean =>
  error instanceof MongoServerError && error.code === NO_MATCHING_DOCUMENT;
