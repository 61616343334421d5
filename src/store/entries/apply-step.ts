import type { AnyBulkWriteOperation, ClientSession, Collection, Db, Document, Filter } from 'mongodb';
import { deleteNamed } from '../connection/delete.js';
import { isDuplicateKey, unlessDuplicate } from '../connection/duplicate.js';
import { anyId } from '../connection/filter.js';
import { type Entry, revisionOf, type WriteStep } from './changes.js';
import { differenceIn, updateFor } from './difference.js';

/** A document that this write was computed from has changed: read again and retry. */
export class WriteConflict extends Error {
  override readonly name = 'WriteConflict';
}

/** Whether the database has refused a step. */
export const isRefusal = (error: unknown): boolean => error instanceof WriteConflict || isDuplicateKey(error);

/**
 * Matches the stored document if it still has the revision that was read. Null also matches an entry without
 * a revision. The revision of a claim or a version does not tell which write inserted it, but `_write` does.
 */
const unchanged = (id: unknown, before: Entry): Filter<Document> => ({
  _id: anyId(id),
  _rev: before['_rev'] ?? null,
  ...('_write' in before && { _write: before['_write'] }),
});

/**
 * Deletions first, so that their unique values are free for the documents that take them. The driver sends
 * consecutive operations of one kind as one command.
 */
const KINDS = ['deleteOne', 'updateOne', 'replaceOne', 'insertOne'];
const rankOf = (operation: AnyBulkWriteOperation<Document>): number =>
  KINDS.findIndex((kind) => kind in operation);

/**
 * Applies the steps of one collection, with one command for each kind of operation. Throws `WriteConflict` if
 * one of them no longer applies.
 */
export async function applyTogether(
  db: Db,
  collection: string,
  steps: readonly WriteStep[],
  session: ClientSession,
): Promise<void> {
  const operations = steps.flatMap(bulkOperations).sort((a, b) => rankOf(a) - rankOf(b));
  const { matchedCount, deletedCount, insertedCount } = await db
    .collection(collection)
    .bulkWrite(operations, { ordered: true, session });
  if (matchedCount + deletedCount + insertedCount !== operations.length) throw new WriteConflict(collection);
}

/** A step as bulk write operations. */
export function bulkOperations(step: WriteStep): AnyBulkWriteOperation<Document>[] {
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

/**
 * Applies one step outside a transaction. An insertion or a change that was already applied is skipped: its revision tells. Of a
 * deletion nothing tells who made it, so it conflicts. Returns false if it was skipped. Throws `WriteConflict` or the server's error.
 */
export async function applyAlone(db: Db, step: WriteStep): Promise<boolean> {
  const { collection, id, before, after } = step;
  const documents = db.collection(collection);
  const stored = () => documents.findOne({ _id: anyId(id) });
  if (before === null && after !== null)
    try {
      await documents.insertOne({ ...after });
      return true;
    } catch (error) {
      if (!isDuplicateKey(error) || !isRevision(await stored(), after)) throw error;
      return false;
    }
  if (before === null) return false;
  const done = after
    ? (await turned(documents, step)) === 1
    : await deleteNamed(documents, unchanged(id, before));
  if (done) return true;
  if (after && isRevision(await stored(), after)) return false;
  throw new WriteConflict(collection);
}

/** Whether another write is known to have made the deletion of a step. */
export type IsAnothers = (step: WriteStep) => Promise<boolean>;

/** Revisions of what is as it was before a write. */
export interface UndoneBy {
  /** What they all begin with, whichever process undid it. */
  readonly write: string;
  /** That of this process. */
  readonly _rev: string;
}

/** The same for a step that a process may have applied before it died: a deletion of what is not there is skipped, too. */
export async function applyAgain(db: Db, step: WriteStep, isAnothers: IsAnothers): Promise<boolean> {
  const { collection, id, after } = step;
  try {
    return await applyAlone(db, step);
  } catch (error) {
    const isDeletion = error instanceof WriteConflict && after === null;
    if (!isDeletion || (await db.collection(collection).findOne({ _id: anyId(id) }))) throw error;
    if (await isAnothers(step)) throw error;
    return false;
  }
}

/**
 * Undoes a step of another process that may still be sending it: a document that the step has not reached
 * also gets a new revision, so that it no longer applies. Later changes by other programs are kept.
 */
export async function takeBack(
  db: Db,
  step: WriteStep,
  { write, _rev }: UndoneBy,
  isAnothers: IsAnothers,
): Promise<void> {
  const { collection, id, before, after } = step;
  const documents = db.collection(collection);
  if (before === null) {
    if (after) await deleteNamed(documents, unchanged(id, after));
    return;
  }
  const former = { ...withoutId(before), _rev };
  for (let attempt = 0; attempt < 3; attempt++) {
    if (after && (await turned(documents, { id, before: after, after: former }))) return;
    if ((await documents.updateOne(unchanged(id, before), { $set: { _rev } })).matchedCount) return;
    const now = await documents.findOne({ _id: anyId(id) });
    if (now === null) {
      if (after || (await isAnothers(step))) return;
      if (await documents.insertOne({ _id: anyId(id), ...former }).catch(unlessDuplicate)) return;
    } else if (revisionOf(now).startsWith(write)) {
      await documents.updateOne(unchanged(id, now), { $set: { _rev } });
      return;
    } else if (!isRevision(now, before) && !(after && isRevision(now, after))) return;
  }
}

/** Changes a document if it is still as before. Returns the number of documents that matched, 0 or 1. */
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

/** The step that undoes `step`. */
export const inverse = (step: WriteStep): WriteStep => ({ ...step, before: step.after, after: step.before });

const isRevision = (stored: Entry | null, wanted: Entry): boolean =>
  stored !== null &&
  revisionOf(stored) === revisionOf(wanted) &&
  (!('_write' in wanted) || String(stored['_write']) === String(wanted['_write']));

function withoutId(entry: Entry): Document {
  const { _id, ...rest } = entry;
  return rest;
}
