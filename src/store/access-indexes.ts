import type { CreateIndexesOptions, IndexSpecification } from 'mongodb';
import type { Store } from './client.js';

const UNIQUE: CreateIndexesOptions = { unique: true };
const ENDS: CreateIndexesOptions = { expireAfterSeconds: 0 };

/** What the access room looks up by, and what must not be there twice however many requests race for it. */
const INDEXES: readonly (readonly [collection: string, keys: IndexSpecification, CreateIndexesOptions])[] = [
  ['mangrove.users', { username: 1 }, UNIQUE],
  ['mangrove.users', { email: 1 }, {}],
  ['mangrove.users', { resetPasswordToken: 1 }, {}],
  ['mangrove.users', { confirmationToken: 1 }, {}],
  ['mangrove.roles', { type: 1 }, UNIQUE],
  ['mangrove.tokens', { accessKey: 1 }, UNIQUE],
  ['mangrove.tokens', { name: 1 }, UNIQUE],
  ['mangrove.sessions', { sessionId: 1 }, UNIQUE],
  ['mangrove.sessions', { userId: 1 }, {}],
  ['mangrove.sessions', { expiresAt: 1 }, ENDS],
  ['mangrove.limits', { key: 1 }, UNIQUE],
  ['mangrove.limits', { expire: 1 }, ENDS],
];

/** Makes the indexes of the access collections; those that exist stay. */
export const ensureAccessIndexes = async (store: Store): Promise<void> => {
  for (const [collection, keys, options] of INDEXES)
    await store.db.collection(collection).createIndex(keys, options);
};
