import type { Collection } from 'mongodb';
import { deleteNamed } from '../connection/delete.js';
import { insertNew } from '../connection/insert.js';
import type { Store } from '../connection/store.js';
import type { StoredRule } from './roles.js';

/** An API token as stored. */
export interface StoredToken {
  readonly id: number;
  readonly name: string;
  readonly description: string;
  readonly type: 'read-only' | 'full-access' | 'custom';
  /** HMAC-SHA512 of the key, hex. */
  readonly accessKey: string;
  /** Actions of a `custom` token without rules. */
  readonly permissions: readonly string[];
  /** Its actions with rules, which are not among `permissions`. */
  readonly rules?: readonly StoredRule[];
  /** Milliseconds from creation; null if the token does not expire. */
  readonly lifespan: number | null;
  readonly expiresAt: Date | null;
  readonly lastUsedAt: Date | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

const tokens = (store: Store): Collection<StoredToken> => store.db.collection<StoredToken>('mangrove.tokens');

export const findToken = (store: Store, accessKey: string): Promise<StoredToken | null> =>
  tokens(store).findOne({ accessKey }, { projection: { _id: 0 } });

export const listTokens = (store: Store): Promise<StoredToken[]> =>
  tokens(store)
    .find({}, { projection: { _id: 0 } })
    .sort({ id: 1 })
    .toArray();

export const insertToken = (store: Store, token: StoredToken): Promise<void> =>
  insertNew(tokens(store), token);

/** Deletes the token with this name; false if there is none. */
export const deleteToken = (store: Store, name: string): Promise<boolean> =>
  deleteNamed(tokens(store), { name });

/** Records a use, unless one was recorded since `before`; several processes may do so at the same time. */
export const noteTokenUse = async (store: Store, id: number, now: Date, before: Date): Promise<void> => {
  await tokens(store).updateOne(
    { id, $or: [{ lastUsedAt: null }, { lastUsedAt: { $lt: before } }] },
    { $set: { lastUsedAt: now } },
  );
};
