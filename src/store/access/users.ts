import { type Collection, type Filter, ObjectId } from 'mongodb';
import { deleteNamed } from '../connection/delete.js';
import { unlessDuplicate } from '../connection/duplicate.js';
import { insertNew } from '../connection/insert.js';
import type { Store } from '../connection/store.js';

/**
 * An account as stored: the attributes of `plugin::users-permissions.user`, and fields that only the access
 * module uses.
 */
export interface StoredUser {
  readonly id: number;
  readonly documentId: string;
  readonly locale: null;
  readonly username: string;
  readonly email: string;
  readonly provider: string | null;
  readonly password: string | null;
  /** SHA-256 of the emailed code, hex. */
  readonly resetPasswordToken: string | null;
  readonly resetPasswordExpiresAt?: Date | null;
  readonly confirmationToken: string | null;
  readonly confirmed: boolean | null;
  readonly blocked: boolean | null;
  /** The role's documentId. */
  readonly role: string | null;
  /** The normalized name for comparisons (`nameKey` of the access module). */
  readonly nameKey?: string;
  /** Incremented with every change of password, and when the account is blocked. */
  readonly passwordVersion?: number;
  /** When `passwordVersion` was last incremented: tokens that carry a time instead of it are older or newer. */
  readonly tokensEndedAt?: Date;
  /** New with each write. */
  readonly _rev?: ObjectId;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly publishedAt: Date | null;
}

/** The keys by which an account can be found. Callers have checked that the values are strings or numbers. */
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

/** All accounts, or those with the role of this documentId, by id. */
export const listUsers = (store: Store, role: string | null): Promise<readonly StoredUser[]> =>
  users(store)
    .find(role === null ? {} : { role }, { projection: { _id: 0 } })
    .sort({ id: 1 })
    .toArray();

/** The account that signs in with this identifier: its email address in any case, or its exact name. */
export const findUserByIdentifier = (store: Store, identifier: string): Promise<StoredUser | null> =>
  users(store).findOne(
    { provider: 'local', $or: [{ email: identifier.toLowerCase() }, { username: identifier }] },
    { projection: { _id: 0 } },
  );

/**
 * Accounts that already have one of these names or email addresses, in either field. `keys` are the
 * normalized names.
 */
export const findTakenNames = (
  store: Store,
  names: readonly string[],
  keys: readonly string[],
): Promise<readonly StoredUser[]> => {
  const list = [...new Set([...names, ...keys])];
  return users(store)
    .find({ $or: [{ email: { $in: list } }, { username: { $in: list } }, { nameKey: { $in: [...keys] } }] })
    .toArray();
};

/** Greek and Cyrillic, which have letters that look like Latin ones. */
const OTHER_SCRIPTS = '[\u0370-\u052f]';

/**
 * Sets the normalized names of accounts that have none because other programs created them, or that have an
 * earlier form in which letters of different scripts that look alike were distinct.
 */
export const fillNameKeys = async (store: Store, keyOf: (username: string) => string): Promise<void> => {
  const stale = users(store).find(
    { $or: [{ nameKey: { $exists: false } }, { nameKey: { $regex: OTHER_SCRIPTS } }] },
    { projection: { id: 1, username: 1, nameKey: 1 } },
  );
  for await (const { id, username, nameKey } of stale) {
    const key = typeof username === 'string' ? keyOf(username) : nameKey;
    // An account whose key another one has stays without it, and is found by its exact name.
    if (key !== undefined && key !== nameKey)
      await users(store)
        .updateOne({ id }, { $set: { nameKey: key } })
        .catch(unlessDuplicate);
  }
};

/** Removes the normalized name of an account; `fillNameKeys` sets it again. */
export const removeNameKey = async (store: Store, documentId: string): Promise<void> => {
  await users(store).updateOne({ documentId }, { $unset: { nameKey: '' } });
};

export const insertUser = (store: Store, user: StoredUser): Promise<void> => insertNew(users(store), user);

interface UserUpdate {
  /** Ends all tokens and sessions. */
  readonly ends?: boolean;
  /** The stored password that the account must still have. */
  readonly from?: string;
}

/**
 * Changes some fields. Returns the account as this change left it, or null if it no longer exists or no
 * longer has the password `from`. The revision changes too, so that a concurrent write through the Document
 * Service starts again instead of undoing the change.
 */
export const updateUser = (
  store: Store,
  id: number,
  change: Omit<Partial<StoredUser>, 'passwordVersion' | 'tokensEndedAt'>,
  { ends = false, from }: UserUpdate = {},
): Promise<StoredUser | null> =>
  users(store).findOneAndUpdate(
    { id, ...(from !== undefined && { password: from }) },
    // Incremented by the server, so that of two concurrent changes neither keeps what the other ends.
    {
      $set: { ...change, _rev: new ObjectId(), ...(ends && { tokensEndedAt: new Date() }) },
      ...(ends && { $inc: { passwordVersion: 1 } }),
    },
    { returnDocument: 'after', projection: { _id: 0 } },
  );

/**
 * Consumes an emailed code; of several concurrent requests with it, one succeeds. Returns the account, or
 * null if no account has this code or it has expired.
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

/** Puts an account back as it was before the write that left it as `written`, unless it has been changed since. */
export const putBackUser = async (
  store: Store,
  before: StoredUser | null,
  { documentId, _rev, passwordVersion, tokensEndedAt }: StoredUser,
): Promise<void> => {
  const as = { documentId, _rev: _rev ?? null } as Filter<StoredUser>;
  if (!before) await deleteNamed(users(store), as);
  // Tokens that the write has ended stay so.
  else
    await users(store).replaceOne(as, {
      ...before,
      _rev: new ObjectId(),
      ...(passwordVersion !== undefined && { passwordVersion }),
      ...(tokensEndedAt !== undefined && { tokensEndedAt }),
    });
};

export const deleteUser = (store: Store, id: number): Promise<boolean> => deleteNamed(users(store), { id });

/** The number of accounts with each role, by the role's documentId. */
export const countByRole = async (store: Store): Promise<ReadonlyMap<string, number>> => {
  const rows = await users(store)
    .aggregate<{ _id: string | null; n: number }>([{ $group: { _id: '$role', n: { $sum: 1 } } }])
    .toArray();
  return new Map(rows.flatMap((row) => (row._id === null ? [] : [[row._id, row.n] as const])));
};

/** Moves all accounts from one role to another. */
export const moveUsers = async (store: Store, from: string, to: string | null): Promise<void> => {
  await users(store).updateMany({ role: from }, { $set: { role: to, _rev: new ObjectId() } });
};
