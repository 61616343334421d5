import type { AnyBulkWriteOperation, ClientSession, Collection, Db, Document, Filter } from 'mongodb';
import { isDuplicateKey } from '../connection/duplicate.js';
import { anyId } from '../connection/filter.js';
import { type Entry, revisionOf, type WriteStep } from './changes.js';
import { differenceIn, updateFor } from './difference.js';

/** Someone else changed what this write was computed from: read and try again. */
export class WriteConflict extends Error {
  override readonly name = 'WriteConflict';
}

/** The stored document, if it still has the revision that was read. A null test matches an entry that never had one. */
const unchanged = (id: unknown, before: Entry): Filter<Document> => ({
  _id: anyId(id),
  _rev: before['_rev'] ?? null,
});

/** In the order in which values are free before they are taken. The driver sends what follows one another and is of one kind as one command. */
const KINDS = ['deleteOne', 'updateOne', 'replaceOne', 'insertOne'];
const rankOf = (operation: AnyBulkWriteOperation<Document>): number =>
  KINDS.findIndex((kind) => kind in operation);

/** Sends the steps of one collection, in a command for each kind of them. Throws `WriteConflict` where one of them no longer applies. */
export async function applyTogether(
  db: Db,
  collection: string,
  steps: readonly WriteStep[],
  session: ClientSession,
): Promise<void> {
  const operations = steps.flatMap(operationsOf).sort((a, b) => rankOf(a) - rankOf(b));
  const { matchedCount, deletedCount, insertedCount } = await db
    .collection(collection)
    .bulkWrite(operations, { ordered: true, session });
  if (matchedCount + deletedCount + insertedCount !== operations.length) throw new WriteConflict(collection);
}

/** A step as the operations of a bulk write. */
export function operationsOf(step: WriteStep): AnyBulkWriteOperation<Document>[] {
  const { id, before, after, reinsert, route } = step;
  const insertion = { insertOne: { document: { ...after } } };
  if (before === null) return [insertion];
  const filter = { ...unchanged(id, before), ...route };
  if (after === null) return [{ deleteOne: { filter } }];
  if (reinsert) return [{ deleteOne: { filter } }, insertion];
  const difference = differenceIn(step);
  if (difference) return [{ updateOne: { filter, update: updateFor(difference) } }];
  return [{ replaceOne: { filter, replacement: withoutId(after) } }];
}

/** Applies one step alone; a step that was applied before is left as it is. Throws `WriteConflict` or the server's error. */
export async function applyAlone(db: Db, step: WriteStep): Promise<void> {
  const { collection, id, before, after } = step;
  const documents = db.collection(collection);
  const stored = () => documents.findOne({ _id: anyId(id) });
  if (before === null && after !== null) {
    try {
      await documents.insertOne({ ...after });
    } catch (error) {
      if (!isDuplicateKey(error) || !isRevision(await stored(), after)) throw error;
    }
    return;
  }
  if (before === null) return;
  const done = after
    ? await turned(documents, step)
    : (await documents.deleteOne(unchanged(id, before))).deletedCount;
  if (done === 1) return;
  const now = await stored();
  if (after ? !isRevision(now, after) : now !== null) throw new WriteConflict(collection);
}

/**
 * Takes a step of someone else back, who may still be sending it: a document that the step has not reached gets a new revision too, so
 * that it never will. What another program changed meanwhile stands.
 */
export async function takeBack(
  db: Db,
  { collection, id, before, after }: WriteStep,
  _rev: string,
): Promise<void> {
  const documents = db.collection(collection);
  if (before === null) {
    if (after) await documents.deleteOne(unchanged(id, after));
    return;
  }
  const former = { ...withoutId(before), _rev };
  for (let tries = 0; tries < 3; tries++) {
    if (after && (await turned(documents, { id, before: after, after: former }))) return;
    if ((await documents.updateOne(unchanged(id, before), { $set: { _rev } })).matchedCount) return;
    const now = await documents.findOne({ _id: anyId(id) });
    if (now === null && !after) await documents.insertOne({ _id: anyId(id), ...former });
    if (now === null || (!isRevision(now, before) && !(after && isRevision(now, after)))) return;
  }
}

/** Changes a document that is still as it was before; 0 where it is not. */
async function turned(
  documents: Collection,
  step: Pick<WriteStep, 'id' | 'before' | 'after'>,
): Promise<number> {
  const { id, before, after } = step;
  if (!before || !after) return 0;
  const filter = unchanged(id, before);
  const difference = differenceIn(step);
  const { matchedCount } = difference
    ? await documents.updateOne(filter, updateFor(difference))
    : await documents.replaceOne(filter, withoutId(after));
  return matchedCount;
}

/** The step that takes `step` back. */
export const inverse = (step: WriteStep): WriteStep => ({ ...step, before: step.after, after: step.before });

const isRevision = (stored: Entry | null, wanted: Entry): boolean =>
  stored !== null && revisionOf(stored) === revisionOf(wanted);

function withoutId(entry: Entry): Document {
  const { _id, ...rest } = entry;
  return rest;
}
