/**
 * The keys of writes that clients may send again (`Idempotency-Key`). A key is stored in the commit of its write, so
 * it exists if and only if the write does; the answer is added to it before it is sent.
 */
import type { Collection, Db, ObjectId } from 'mongodb';
import type { Entry } from './changes.js';

export const IDEMPOTENCY_KEYS = 'mangrove.idempotency';
/** A day, in seconds. */
const KEPT_SECONDS = 24 * 3600;

/** The first answer that was sent for a key. */
export interface KeptAnswer {
  readonly status: number;
  /** JSON; null: the answer has no body. */
  readonly body: string | null;
  /** The version of the grants that it was rendered for. */
  readonly grants: string;
}

/** What one operation of a batch has written. */
export interface WrittenOutcome {
  readonly status: number;
  /** Null: no entry is left of it. */
  readonly documentId: string | null;
}

/** What was written under a key: by a single write a document, by a batch its outcomes. */
export type Written =
  | { readonly documentId: string }
  | {
      /** In the order of the operations. */
      readonly outcomes: readonly WrittenOutcome[];
    };

export type IdempotencyKey = Written & {
  /** A digest of the caller, the route and the key. */
  readonly _id: string;
  readonly _rev: ObjectId;
  readonly at: Date;
  /** A digest of what was asked for. */
  readonly fingerprint: string;
  /** Absent: none has been sent yet, or it is too large to be kept. */
  readonly answer?: KeptAnswer;
};

const keys = (db: Db): Collection<IdempotencyKey> => db.collection<IdempotencyKey>(IDEMPOTENCY_KEYS);

/** Also creates the collection, which a transaction cannot do everywhere. */
export async function indexIdempotencyKeys(db: Db): Promise<void> {
  await keys(db).createIndex({ at: 1 }, { name: 'at', expireAfterSeconds: KEPT_SECONDS });
}

/** A key as it is committed. */
export const newIdempotencyKey = (
  key: Pick<IdempotencyKey, '_id' | 'fingerprint'>,
  written: Written,
): Entry => ({ ...key, ...written, at: new Date() });

export const findIdempotencyKey = (db: Db, _id: string): Promise<IdempotencyKey | null> =>
  keys(db).findOne({ _id });

/** Keeps the answer of a key. False if it has one already, or if there is no such key, because nothing was written. */
export async function keepAnswer(db: Db, _id: string, answer: KeptAnswer): Promise<boolean> {
  const { matchedCount } = await keys(db).updateOne(
    { _id, answer: { $exists: false } },
    { $set: { answer } },
  );
  return matchedCount === 1;
}

/** Erases the answers that contain a document; a request that is sent again gets what is left. Returns how many. */
export async function eraseAnswers(db: Db, documentId: string, dryRun: boolean): Promise<number> {
  const own = { answer: { $exists: true }, $or: [{ documentId }, { 'outcomes.documentId': documentId }] };
  if (dryRun) return keys(db).countDocuments(own);
  return (await keys(db).updateMany(own, { $unset: { answer: '' } })).modifiedCount;
}
