/**
 * Combines steps of several writes that are sent in one tick of the event loop: one command for those with
 * the same kind of operation on one collection.
 */
import type { AnyBulkWriteOperation, Db, Document } from 'mongodb';
import { isOn } from '../../limits/mechanisms.js';
import { memberOf } from '../../values/once-per.js';
import { batchPerTick } from '../connection/batch-per-tick.js';
import { applyAlone, bulkOperations } from '../entries/apply-step.js';
import type { WriteStep } from '../entries/changes.js';

type Operation = AnyBulkWriteOperation<Document>;

/**
 * Returns a function that applies a step like `applyAlone`, if possible combined with steps of other writes.
 * Their locks keep them apart, so no two change the same document. If one of them matches nothing or is
 * refused, each is applied individually, which skips those that were already applied. A deletion is always sent alone: `applyAlone`
 * cannot tell whether it was applied.
 */
export function batchedSteps(db: Db): (step: WriteStep) => Promise<boolean> {
  const batches = new Map<string, (operation: Operation) => Promise<true | null>>();
  const batchOf = (collection: string, kind: string) =>
    memberOf(batches, `${kind} ${collection}`, () =>
      batchPerTick((operations) => sendTogether(db, collection, operations)),
    );
  return async (step) => {
    const [operation, ...others] = bulkOperations(step);
    if (operation && others.length === 0 && step.after && isOn('writes together')) {
      const [kind = ''] = Object.keys(operation);
      if (await batchOf(step.collection, kind)(operation)) return true;
    }
    return applyAlone(db, step);
  };
}

async function sendTogether(db: Db, collection: string, operations: readonly Operation[]): Promise<true[]> {
  const { matchedCount, deletedCount, insertedCount } = await db
    .collection(collection)
    .bulkWrite([...operations], { ordered: false });
  if (matchedCount + deletedCount + insertedCount !== operations.length)
    throw new RangeError('not all of them were applied');
  return operations.map(() => true);
}
