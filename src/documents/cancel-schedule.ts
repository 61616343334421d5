/** Cancelling a schedule by its id, for the command line. */
import type { Store } from '../store/client.js';
import { WriteConflict } from '../store/entries/apply-step.js';
import { Changes } from '../store/entries/changes.js';
import { findSchedules, SCHEDULED } from '../store/entries/schedules.js';
import { openWriter } from '../store/writes/write.js';
import { retryOnConflict } from './operations/retry-on-conflict.js';

/**
 * False if there is no such schedule. A commit as any other, so that either it is cancelled or it is carried out: without
 * transactions, a process that has died may have begun to carry it out, which another one completes.
 */
export async function cancelSchedule(store: Store, _id: string): Promise<boolean> {
  const writer = await openWriter(store);
  return retryOnConflict(async () => {
    const [stored] = await findSchedules(store.db, { _id });
    if (!stored) {
      if (await writer.isUnderWay(SCHEDULED, _id)) throw new WriteConflict(SCHEDULED);
      return false;
    }
    const changes = new Changes();
    changes.remove(SCHEDULED, { ...stored });
    await writer.commit({ steps: changes.steps(), events: [] });
    return true;
  });
}
