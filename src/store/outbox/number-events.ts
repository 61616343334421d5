import type { Db, ObjectId } from 'mongodb';
import { unlessDuplicate } from '../connection/duplicate.js';
import { settingsOf } from '../connection/settings.js';
import { OUTBOX } from './outbox.js';

/**
 * The progress of numbering the events. `pending` lists the events that get the numbers after `last` next, so
 * that any process can assign them: two that do so at the same time assign the same numbers, and one that
 * crashes leaves no gap.
 */
interface Numbering {
  readonly _id: string;
  readonly last: number;
  readonly pending: readonly ObjectId[];
}

const NUMBERING = 'outbox';
const BATCH = 100;

/**
 * Numbers the events that have none, and returns the last number. Events that are still unnumbered always get
 * higher numbers than those that readers may have seen, whatever the writers' clocks say, so a reader that
 * follows the numbers misses none.
 */
export async function numberEvents(db: Db): Promise<number> {
  const settings = settingsOf<Numbering>(db);
  const events = db.collection<{ _id: ObjectId; number: number | null }>(OUTBOX);
  for (;;) {
    const found = await settings.findOne({ _id: NUMBERING });
    if (!found) {
      await settings.insertOne({ _id: NUMBERING, last: 0, pending: [] }).catch(unlessDuplicate);
      continue;
    }
    const { last, pending } = found;
    if (pending.length > 0) {
      await events.bulkWrite(
        pending.map((_id, at) => ({
          updateOne: { filter: { _id, number: null }, update: { $set: { number: last + 1 + at } } },
        })),
      );
      // `last` does not change while events are pending, and never returns to an earlier value.
      await settings.updateOne(
        { _id: NUMBERING, last },
        { $set: { last: last + pending.length, pending: [] } },
      );
      continue;
    }
    const fresh = await events
      .find({ number: null }, { projection: { _id: 1 } })
      .sort({ placed: 1, _id: 1 })
      .limit(BATCH)
      .toArray();
    if (fresh.length === 0) return last;
    const ids = fresh.map(({ _id }) => _id);
    await settings.updateOne({ _id: NUMBERING, last, pending: [] }, { $set: { pending: ids } });
  }
}
