import type { Db } from 'mongodb';
import { deleteNamed } from '../connection/delete.js';
import { anyFilter } from '../connection/filter.js';
import type { WriteStep } from '../entries/changes.js';
import { type Inserted, lockOf, type WriteOutcome } from './journal-head.js';

/**
 * Removes what an owner of a write inserted after another process had ended it. Of one that is done, these are documents that
 * both have inserted: in between, they were removed.
 * @param made what this owner applied
 */
export async function removeLate(
  db: Db,
  { outcome, inserted }: WriteOutcome,
  made: readonly WriteStep[],
): Promise<void> {
  const own = new Set(made.map(lockOf));
  await removeInserted(db, outcome === 'undone' ? inserted : inserted.filter((one) => own.has(lockOf(one))));
}

export async function removeInserted(db: Db, inserted: readonly Inserted[]): Promise<void> {
  for (const { collection, id, ...state } of inserted)
    await deleteNamed(db.collection(collection), anyFilter({ _id: id, ...state }));
}
