import { type Collection, type Db, ObjectId } from 'mongodb';
import { codeOf } from '../../values/code-of.js';
import { hasCollection } from '../connection/collections.js';
import { topologyOf } from '../connection/deployment.js';
import { unlessDuplicate } from '../connection/duplicate.js';
import { settingsOf } from '../connection/settings.js';
import type { Entry } from './changes.js';

/**
 * Claims on what only one document may have: a unique value, the target of a one-to-one relation, being the
 * document of a single type. Whoever takes a claim inserts or changes its document in the same commit, so two
 * that race always conflict, on every topology.
 */
export const CLAIMS = 'mangrove.claims';

/**
 * `_rev` is the owner, so that a claim can be released without reading it: the revision of the owner's entry
 * is checked in the same commit.
 */
export interface StoredClaim {
  readonly _id: string;
  /** documentId of the owner. */
  readonly owner: string;
  readonly _rev: string;
  /** Names the write that inserted it: two writes of one document may take the same claim. */
  readonly _write?: ObjectId;
}

export const newClaim = (_id: string, owner: string): StoredClaim => ({ _id, owner, _rev: owner });

/** A collection of entries, and the claims that each of them should have. */
export interface Claiming {
  readonly collection: string;
  readonly claimsOf: (entry: Entry) => readonly StoredClaim[];
}

const claims = (db: Db): Collection<StoredClaim> => db.collection<StoredClaim>(CLAIMS);
const marks = (db: Db) => settingsOf<{ readonly _id: string; readonly mark: string }>(db);
const PREFIX = 'claims/';

/** Creates the collection in advance, since a transaction that spans shards cannot create collections. */
export async function openClaims(db: Db): Promise<void> {
  if (await hasCollection(db, CLAIMS)) return;
  await db.createCollection(CLAIMS).catch((error: unknown) => {
    // NamespaceExists: another process was faster.
    if (codeOf(error) !== 48) throw error;
  });
}

/**
 * The mark of a search. A standalone server that has been restarted may have lost what it had acknowledged, if it
 * crashed and the URI does not make writes wait for the disk: there the mark is the server's process.
 */
export async function markOfSearch(db: Db): Promise<string> {
  const hello = await db.command({ hello: 1 });
  const process: unknown = hello['topologyVersion']?.processId;
  return topologyOf(hello) === 'standalone' && process instanceof ObjectId ? process.toHexString() : 'done';
}

/** Names of the kinds of claims for which the stored entries have been searched. */
export async function searchedClaims(db: Db, mark: string): Promise<ReadonlySet<string>> {
  const found = await marks(db)
    .find({ _id: { $gte: PREFIX, $lt: 'claims0' }, mark })
    .toArray();
  return new Set(found.map(({ _id }) => _id.slice(PREFIX.length)));
}

export async function markSearched(db: Db, names: readonly string[], mark: string): Promise<void> {
  if (names.length === 0) return;
  await marks(db).bulkWrite(
    names.map((name) => ({
      updateOne: { filter: { _id: `${PREFIX}${name}` }, update: { $set: { mark } }, upsert: true },
    })),
    { ordered: false },
  );
}

/**
 * Creates the missing claims of a collection's entries. If two entries claim the same, the one with the lower
 * `id` gets it.
 */
export async function claimStored(db: Db, { collection, claimsOf }: Claiming): Promise<void> {
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

const below = (prefix: string) => ({ $gte: `${prefix}/`, $lt: `${prefix}0` });

/** Makes the next start search the entries of a type for missing claims. */
export async function forgetSearch(db: Db, uid: string): Promise<void> {
  await marks(db).deleteMany({ _id: below(`${PREFIX}${uid}`) });
}

/**
 * Deletes the claims of a type's entries, so that the next search creates them again: values were changed
 * without the Document Service.
 */
export async function forgetClaims(db: Db, uid: string): Promise<void> {
  await forgetSearch(db, uid);
  // The claim to be the document of a single type does not depend on the values of an entry.
  await claims(db).deleteMany({ _id: { ...below(uid), $ne: `${uid}//document` } });
}
