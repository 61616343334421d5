import { type AnyBulkWriteOperation, type Db, type Document, MongoServerError, ObjectId } from 'mongodb';
import { hasCollection } from '../connection/collections.js';
import { isDuplicateKey, unlessDuplicate } from '../connection/duplicate.js';
import { anyFilter } from '../connection/filter.js';
import { insertedFirst } from '../connection/insert.js';
import type { Entry } from '../entries/changes.js';
import { countersOf } from '../entries/sequence.js';

/** The fields that identify a stored entry. */
export interface EntryHead {
  readonly _id: unknown;
  readonly id: number;
  readonly documentId: string;
  readonly locale: string | null;
}

const HEAD = { id: 1, documentId: 1, locale: 1 };

/** The stored versions of these documents in one collection. */
export const headsOf = (db: Db, collection: string, documentIds: readonly string[]): Promise<EntryHead[]> =>
  db
    .collection(collection)
    .find<EntryHead>({ documentId: { $in: [...documentIds] } }, { projection: HEAD })
    .toArray();

/** documentIds by the value of `field`. */
export async function existingNames(
  db: Db,
  collection: string,
  field: string,
  names: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (names.length === 0) return new Map();
  const found = await db
    .collection(collection)
    .find({ [field]: { $in: [...names] } }, { projection: { documentId: 1, [field]: 1 } })
    .toArray();
  return new Map(found.map((entry) => [String(entry[field]), String(entry['documentId'])]));
}

/**
 * The documentId of another document that has this value of a unique attribute in the same locale; null if
 * none has.
 */
export async function findHolder(
  db: Db,
  collection: string,
  entry: Entry,
  attribute: string,
): Promise<string | null> {
  const filter = anyFilter({
    [attribute]: entry[attribute],
    locale: entry['locale'],
    documentId: { $ne: entry['documentId'] },
  });
  const found = await db.collection(collection).findOne(filter, { projection: { documentId: 1 } });
  return found ? String(found['documentId']) : null;
}

/**
 * Writes entries, replacing those whose `_id` is stored. Returns the entries that a unique index refused; all
 * others are stored. Idempotent.
 */
export async function storeEntries(
  db: Db,
  name: string,
  entries: readonly Entry[],
  stored: ReadonlySet<unknown>,
): Promise<readonly Entry[]> {
  const collection = db.collection(name);
  const fresh = entries.filter(({ _id }) => !stored.has(_id));
  const known = entries.filter(({ _id }) => stored.has(_id));
  const refused: Entry[] = [];
  if (fresh.length > 0)
    try {
      await collection.insertMany([...fresh], { ordered: false });
    } catch (error) {
      if (!isDuplicateKey(error)) throw error;
      const ids = fresh.map(({ _id }) => _id);
      const there = await collection
        .find(anyFilter({ _id: { $in: ids } }), { projection: { _id: 1 } })
        .toArray();
      const kept = new Set(there.map(({ _id }) => String(_id)));
      refused.push(...fresh.filter(({ _id }) => !kept.has(String(_id))));
    }
  if (known.length > 0) {
    const matched = await collection.bulkWrite(known.map(replacement), { ordered: false }).then(
      ({ matchedCount }) => matchedCount,
      (error: unknown) => {
        unlessDuplicate(error);
        return 0;
      },
    );
    if (matched < known.length)
      for (const entry of known) if (!(await storeOne(db, name, entry, true))) refused.push(entry);
  }
  return refused;
}

/** False if a unique index refuses the entry. */
export async function storeOne(db: Db, name: string, entry: Entry, stored: boolean): Promise<boolean> {
  try {
    const isThere = stored && (await db.collection(name).bulkWrite([replacement(entry)])).matchedCount > 0;
    // Also if others have deleted it since it was looked for.
    if (!isThere) await db.collection(name).insertOne({ ...entry });
    return true;
  } catch (error) {
    if (isDuplicateKey(error)) return false;
    throw error;
  }
}

const replacement = ({ _id, ...rest }: Entry): AnyBulkWriteOperation<Document> => ({
  replaceOne: { filter: anyFilter({ _id }), replacement: rest },
});

/** Gives the stored versions of these documents another revision: who has read them does not write to them as they were. */
export const renewRevisions = (db: Db, collection: string, documentIds: readonly string[]) =>
  db
    .collection(collection)
    .updateMany({ documentId: { $in: [...documentIds] } }, { $set: { _rev: new ObjectId() } });

/** Whether a collection contains any document. */
export const holdsAny = async (db: Db, collection: string): Promise<boolean> =>
  (await db.collection(collection).findOne({}, { projection: { _id: 1 } })) !== null;

/** Whether a collection contains documents that are no entries. */
export const holdsOthers = async (db: Db, collection: string): Promise<boolean> =>
  (await db.collection(collection).findOne({ documentId: null }, { projection: { _id: 1 } })) !== null;

/** The last number of a sequence; null if it has no counter yet. */
export const lastOf = async (db: Db, name: string): Promise<number | null> =>
  (await countersOf(db).findOne({ _id: name }))?.last ?? null;

/**
 * Advances a sequence in one step to what `target` makes of its last number, which it returns: others that
 * take numbers meanwhile get them before or after, never the same ones.
 * @param used the last number in use, for a sequence without a counter
 */
export async function advanceSequence(
  db: Db,
  name: string,
  used: number,
  target: (last: number) => number,
): Promise<number> {
  const counters = countersOf(db);
  for (;;) {
    const stored = await lastOf(db, name);
    const last = Math.max(stored ?? 0, used);
    const next = Math.max(last, target(last));
    const isDone =
      stored === null
        ? await insertedFirst(counters, { _id: name, last: next })
        : (await counters.updateOne({ _id: name, last: stored }, { $set: { last: next } })).matchedCount > 0;
    if (isDone) return last;
  }
}

/** Drops a collection if it exists. */
export async function dropCollection(db: Db, name: string): Promise<void> {
  if (await hasCollection(db, name)) await db.collection(name).drop();
}

/** The error code of servers that cannot rename collections with a dot in their name (FerretDB). */
const INVALID_NAMESPACE = 73;

/**
 * Replaces a collection with another one, atomically for readers: by renaming, or by `$out` if the server
 * cannot rename it. Does nothing if `from` no longer exists.
 */
export async function putInPlace(db: Db, from: string, to: string): Promise<void> {
  if (!(await hasCollection(db, from))) return;
  try {
    await db.collection(from).rename(to, { dropTarget: true });
  } catch (error) {
    if (!(error instanceof MongoServerError) || error.code !== INVALID_NAMESPACE) throw error;
    await db
      .collection(from)
      .aggregate([{ $match: {} }, { $out: to }])
      .toArray();
    await db.collection(from).drop();
  }
}

/** The grants of roles, by role type. */
export async function findRoles(
  db: Db,
  types: readonly string[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  const found = await db
    .collection<{ type: string; grants?: string[] }>('mangrove.roles')
    .find({ type: { $in: [...types] } })
    .toArray();
  return new Map(found.map(({ type, grants }) => [type, grants ?? []]));
}

/** All entries of a collection, by `id`; 64-bit integers stay `Long`. */
export async function* eachEntry<T extends Document>(db: Db, collection: string): AsyncGenerator<T> {
  yield* db.collection(collection).find<T>({}, { promoteLongs: false }).sort({ id: 1 });
}

/** The stored versions of these documents, with all fields; 64-bit integers stay `Long`. */
export const storedEntries = (db: Db, collection: string, documentIds: readonly string[]): Promise<Entry[]> =>
  db
    .collection(collection)
    .find({ documentId: { $in: [...documentIds] } }, { promoteLongs: false })
    .toArray();
