import { type Collection, type Filter, ObjectId } from 'mongodb';
import type { Store } from '../connection/store.js';

/** An account as stored: the attributes of `plugin::users-permissions.user`, and what only the access room knows. */
export interface StoredUser {
  readonly id: number;
  readonly documentId: string;
  readonly locale: null;
  readonly username: string;
  readonly email: string;
  readonly provider: string | null;
  readonly password: string | null;
  /** SHA-256 of the code that was mailed, hex. */
  readonly resetPasswordToken: string | null;
  readonly resetPasswordExpiresAt?: Date | null;
  readonly confirmationToken: string | null;
  readonly confirmed: boolean | null;
  readonly blocked: boolean | null;
  /** The role's documentId. */
  readonly role: string | null;
  /** What the name is compared by (`nameKey` of the access room). */
  readonly nameKey?: string;
  /** Grows with every change of password, and when the account is blocked. */
  readonly passwordVersion?: number;
  /** New with each write. */
  readonly _rev?: ObjectId;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly publishedAt: Date | null;
}

/** How an account is looked for. Values are strings and numbers only: callers check types before. */
type UserKey =
  | { readonly id: number }
  | { readonly documentId: string }
  | { readonly email: string }
  | { readonly username: string }
  | { readonly resetPasswordToken: string }
  | { readonly confirmationToken: string };

const users = (store: Store): Collection<StoredUser> => store.db.collection<StoredUser>('mangrove.users');
const only = (key: UserKey): Filter<StoredUser> => key;

export const findUser = (store: Store, key: UserKey): Promise<StoredUser | null> =>
  users(store).findOne(only(key), { projection: { _id: 0 } });

/** Every account, or those of one role by its documentId, in the order of their ids. */
export const listUsers = (store: Store, role: string | null): Promise<readonly StoredUser[]> =>
  users(store)
    .find(role === null ? {} : { role }, { projection: { _id: 0 } })
    .sort({ id: 1 })
    .toArray();

/** The account that signs in as this: its address in any case, or its exact name (rules H.3). */
export const findUserByIdentifier = (store: Store, identifier: string): Promise<StoredUser | null> =>
  users(store).findOne(
    { provider: 'local', $or: [{ email: identifier.toLowerCase() }, { username: identifier }] },
    { projection: { _id: 0 } },
  );

/** Accounts that already go by one of these names or addresses, in either place. `keys` are those that names are compared by. */
export const findTaken = (
  store: Store,
  names: readonly string[],
  keys: readonly string[],
): Promise<readonly StoredUser[]> => {
  const list = [...new Set([...names, ...keys])];
  return users(store)
    .find({ $or: [{ email: { $in: list } }, { username: { $in: list } }, { nameKey: { $in: [...keys] } }] })
    .toArray();
};

/** Greek and Cyrillic, of which some letters look like Latin ones. */
const OTHER_SCRIPTS = '[\u0370-\u052f]';

/**
 * Accounts that other programs made have no key to compare their names by yet, and earlier keys told scripts apart that people do
 * not.
 */
export const fillNameKeys = async (store: Store, keyOf: (username: string) => string): Promise<void> => {
  const stale = users(store).find(
    { $or: [{ nameKey: { $exists: false } }, { nameKey: { $regex: OTHER_SCRIPTS } }] },
    { projection: { id: 1, username: 1, nameKey: 1 } },
  );
  for await (const { id, username, nameKey } of stale) {
    const key = typeof username === 'string' ? keyOf(username) : nameKey;
    if (key !== undefined && key !== nameKey)
      await users(store).updateOne({ id }, { $set: { nameKey: key } });
  }
};

export const insertUser = async (store: Store, user: StoredUser): Promise<void> => {
  await users(store).insertOne({ ...user });
};

/**
 * Changes some fields; the account afterwards, or null when it is gone. The revision changes with them, so that a write of the
 * Document Service that read the account before starts again and undoes nothing.
 */
export const updateUser = async (
  store: Store,
  id: number,
  change: Partial<StoredUser>,
): Promise<StoredUser | null> => {
  await users(store).updateOne({ id }, { $set: { ...change, _rev: new ObjectId() } });
  return findUser(store, { id });
};

/**
 * Uses a mailed code up: of several requests that show it at once, one finds it. The account; null where there is none with this code,
 * or it has ended.
 */
export const consumeCode = async (
  store: Store,
  field: 'resetPasswordToken' | 'confirmationToken',
  hash: string,
  now: Date,
): Promise<StoredUser | null> => {
  const ends = field === 'resetPasswordToken' ? { resetPasswordExpiresAt: { $gt: now } } : {};
  const user = await users(store).findOne({ [field]: hash, ...ends }, { projection: { _id: 0 } });
  if (!user) return null;
  const { modifiedCount } = await users(store).updateOne(
    { id: user.id, [field]: hash },
    { $set: { [field]: null, _rev: new ObjectId() } },
  );
  return modifiedCount === 1 ? user : null;
};

export const deleteUser = async (store: Store, id: number): Promise<boolean> =>
  (await users(store).deleteOne({ id })).deletedCount === 1;

/** How many accounts have each role, by the role's documentId. */
export const countByRole = async (store: Store): Promise<ReadonlyMap<string, number>> => {
  const rows = await users(store)
    .aggregate<{ _id: string | null; n: number }>([{ $group: { _id: '$role', n: { $sum: 1 } } }])
    .toArray();
  return new Map(rows.flatMap((row) => (row._id === null ? [] : [[row._id, row.n] as const])));
};

/** Gives every account of one role another. */
export const moveUsers = async (store: Store, from: string, to: string | null): Promise<void> => {
  await users(store).updateMany({ role: from }, { $set: { role: to, _rev: new ObjectId() } });
};
