import type { Collection, Db } from 'mongodb';
import { codeOf } from '../../values/code-of.js';
import { hasCollection } from '../connection/collections.js';
import { unlessDuplicate } from '../connection/duplicate.js';
import { settingsOf } from '../connection/settings.js';
import type { Entry } from './changes.js';

/**
 * What only one document may have, one claim each: a unique value, the target of a one-to-one, being the document of a single type.
 * Whoever takes it inserts or changes that document in the same commit, so two that race always meet, on every topology.
 */
export const CLAIMS = 'mangrove.claims';

/** `_rev` names the owner, so that a claim can be released without being read: its owner's entry, in the same commit, is compared. */
export interface StoredClaim {
  readonly _id: string;
  /** documentId of the document that has it. */
  readonly owner: string;
  readonly _rev: string;
}

const claims = (db: Db): Collection<StoredClaim> => db.collection<StoredClaim>(CLAIMS);
const marks = (db: Db) => settingsOf<{ readonly _id: string; readonly mark: string }>(db);
const PREFIX = 'claims/';

/** No transaction that spans shards may make a collection, so it is there before the first write. */
export async function openClaims(db: Db): Promise<void> {
  if (await hasCollection(db, CLAIMS)) return;
  await db.createCollection(CLAIMS).catch((error: unknown) => {
    // Another process was faster (NamespaceExists).
    if (codeOf(error) !== 48) throw error;
  });
}

/** Names of the kinds of claims that the stored entries have been searched for. */
export async function searchedClaims(db: Db): Promise<ReadonlySet<string>> {
  const found = await marks(db)
    .find({ _id: { $gte: PREFIX, $lt: 'claims0' } })
    .toArray();
  return new Set(found.map(({ _id }) => _id.slice(PREFIX.length)));
}

export async function markSearched(db: Db, names: readonly string[]): Promise<void> {
  if (names.length === 0) return;
  await marks(db).bulkWrite(
    names.map((name) => ({
      updateOne: { filter: { _id: `${PREFIX}${name}` }, update: { $set: { mark: 'done' } }, upsert: true },
    })),
    { ordered: false },
  );
}

/** Claims of a collection's entries, made where they are not there. Of two that claim the same the first in the order of `id` has it. */
export async function claimStored(
  db: Db,
  collection: string,
  claimsOf: (entry: Entry) => readonly StoredClaim[],
): Promise<void> {
  let batch: StoredClaim[] = [];
  const send = async (): Promise<void> => {
    const claimed = batch;
    batch = [];
    if (claimed.length > 0) await claims(db).insertMany(claimed, { ordered: false }).catch(unlessDuplicate);
  };
  for await (const entry of db.collection(collection).find({}, { promoteLongs: false }).sort({ id: 1 })) {
    batch.push(...claimsOf(entry));
    if (batch.length >= 1000) await send();
  }
  await send();
}

/** Drops the claims of a type's entries, so that the next search makes them again: values were changed without the Document Service. */
export async function forgetClaims(db: Db, uid: string): Promise<void> {
  const below = (prefix: string) => ({ $gte: `${prefix}/`, $lt: `${prefix}0` });
  await marks(db).deleteMany({ _id: below(`${PREFIX}${uid}`) });
  // Being the document of a single type is not a value of an entry.
  await claims(db).deleteMany({ _id: { ...below(uid), $ne: `${uid}//document` } });
}

/** The document of a single type, as it was noted before there were claims. */
export async function takeOverSingles(db: Db, idOf: (uid: string) => string): Promise<void> {
  const notes = db.collection<{ _id: string; documentId: string }>('mangrove.singles');
  for (const { _id, documentId } of await notes.find().toArray()) {
    await claims(db)
      .insertOne({ _id: idOf(_id), owner: documentId, _rev: documentId })
      .catch(unlessDuplicate);
    await notes.deleteOne({ _id });
  }
}
