/** Compares stored claims with the entries that they are for. Reads only, in batches. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Collection, Db, ObjectId } from 'mongodb';
import { inLists } from '../../values/group.js';
import type { Entry } from './changes.js';
import { CLAIMS, type Claiming, type StoredClaim } from './claims.js';

export interface ClaimCount {
  /** Claims that no document has. */
  readonly missing: number;
  /** Claims that another document than the entry's has. */
  readonly taken: number;
}

/** Limits and reports the work: at most `limit` documents, `onBatch` is told how many have been compared. */
export interface Sampling {
  readonly limit: number;
  readonly onBatch: (compared: number) => void;
}

type StoredEntry = Entry & { readonly _id: ObjectId };

const BATCH = 1000;
/**
 * Before a difference is looked at again, in ms: a write may come between reading an entry and its claims, and without
 * transactions it stores its claims a few commands before its entries, and removes them a few commands after.
 */
const PAUSES = [10, 40, 160, 640] as const;
/** As entries are read elsewhere: claims depend on the BSON type of numbers. */
const READ = { promoteLongs: false } as const;

const claimsIn = (db: Db): Collection<StoredClaim> => db.collection<StoredClaim>(CLAIMS);
const entriesIn = (db: Db, { collection }: Claiming): Collection<StoredEntry> =>
  db.collection<StoredEntry>(collection);

/** Counts the claims that entries should have and that are missing, or another document's. */
export async function compareEntries(
  db: Db,
  claiming: Claiming,
  { limit, onBatch }: Sampling,
): Promise<ClaimCount> {
  let [missing, taken] = [0, 0];
  const cursor = entriesIn(db, claiming).find({}, READ).limit(limit).batchSize(BATCH);
  for await (const entries of inLists(cursor, BATCH)) {
    let doubtful = await differing(db, claiming, entries);
    for (const pause of PAUSES) {
      if (doubtful.length === 0) break;
      await sleep(pause);
      const ids = doubtful.map(({ entry }) => entry._id);
      const again = await entriesIn(db, claiming)
        .find({ _id: { $in: ids } }, READ)
        .toArray();
      doubtful = await differing(db, claiming, again);
    }
    missing += doubtful.filter(({ owner }) => owner === null).length;
    taken += doubtful.filter(({ owner }) => owner !== null).length;
    onBatch(entries.length);
  }
  return { missing, taken };
}

interface Difference {
  readonly entry: StoredEntry;
  /** The document that has the claim; null: none. */
  readonly owner: string | null;
}

async function differing(
  db: Db,
  { claimsOf }: Claiming,
  entries: readonly StoredEntry[],
): Promise<Difference[]> {
  const wanted = entries.flatMap((entry) => claimsOf(entry).map((claim) => ({ entry, claim })));
  if (wanted.length === 0) return [];
  const ids = wanted.map(({ claim }) => claim._id);
  const stored = await claimsIn(db)
    .find({ _id: { $in: ids } })
    .toArray();
  const owners = new Map(stored.map(({ _id, owner }) => [_id, owner]));
  return wanted
    .map(({ entry, claim }) => ({ entry, wants: claim.owner, owner: owners.get(claim._id) ?? null }))
    .filter(({ wants, owner }) => owner !== wants);
}

/** Counts the claims whose `_id` begins with `prefix` and that no entry of their owner has. */
export async function compareClaims(
  db: Db,
  { prefix, claimings }: { readonly prefix: string; readonly claimings: readonly Claiming[] },
  { limit, onBatch }: Sampling,
): Promise<number> {
  let count = 0;
  const last = prefix.slice(0, -1) + String.fromCharCode(prefix.charCodeAt(prefix.length - 1) + 1);
  const cursor = claimsIn(db)
    .find({ _id: { $gte: prefix, $lt: last } })
    .limit(limit)
    .batchSize(BATCH);
  for await (const claims of inLists(cursor, BATCH)) {
    let doubtful = await abandoned(db, claimings, claims);
    for (const pause of PAUSES) {
      if (doubtful.length === 0) break;
      await sleep(pause);
      const ids = doubtful.map(({ _id }) => _id);
      doubtful = await abandoned(
        db,
        claimings,
        await claimsIn(db)
          .find({ _id: { $in: ids } })
          .toArray(),
      );
    }
    count += doubtful.length;
    onBatch(claims.length);
  }
  return count;
}

async function abandoned(
  db: Db,
  claimings: readonly Claiming[],
  claims: readonly StoredClaim[],
): Promise<readonly StoredClaim[]> {
  if (claims.length === 0) return [];
  const owners = [...new Set(claims.map(({ owner }) => owner))];
  const held = new Set<string>();
  for (const claiming of claimings)
    for await (const entry of entriesIn(db, claiming).find({ documentId: { $in: owners } }, READ))
      for (const { _id, owner } of claiming.claimsOf(entry)) held.add(`${owner} ${_id}`);
  return claims.filter(({ _id, owner }) => !held.has(`${owner} ${_id}`));
}
