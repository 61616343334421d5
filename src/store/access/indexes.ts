import type { CreateIndexesOptions, IndexSpecification } from 'mongodb';
import type { Store } from '../connection/store.js';

const UNIQUE: CreateIndexesOptions = { unique: true };
const ENDS: CreateIndexesOptions = { expireAfterSeconds: 0 };

/**
 * Indexes for lookups of the access room, and unique ones for what must not exist twice even when requests
 * race. The unique names of accounts and types of roles are attributes of their content types (indexes.ts).
 */
const INDEXES: readonly (readonly [collection: string, keys: IndexSpecification, CreateIndexesOptions])[] = [
  ['mangrove.users', { email: 1 }, {}],
  ['mangrove.users', { nameKey: 1 }, {}],
  ['mangrove.users', { resetPasswordToken: 1 }, {}],
  ['mangrove.users', { confirmationToken: 1 }, {}],
  ['mangrove.tokens', { accessKey: 1 }, UNIQUE],
  ['mangrove.tokens', { name: 1 }, UNIQUE],
  ['mangrove.sessions', { sessionId: 1 }, UNIQUE],
  ['mangrove.sessions', { userId: 1 }, {}],
  ['mangrove.sessions', { expiresAt: 1 }, ENDS],
  ['mangrove.limits', { key: 1 }, UNIQUE],
  ['mangrove.limits', { expire: 1 }, ENDS],
];

const EMAIL_UNIQUE = 'email_unique';

/** Allows one account per email address, if the settings require it (`unique_email`). */
const ensureUniqueEmail = async ({ db }: Store, wanted: boolean): Promise<void> => {
  const users = db.collection('mangrove.users');
  if (wanted) await users.createIndex({ email: 1, locale: 1 }, { ...UNIQUE, name: EMAIL_UNIQUE });
  else if (await users.indexExists(EMAIL_UNIQUE)) await users.dropIndex(EMAIL_UNIQUE);
};

/** Creates the indexes of the access collections; existing ones stay. */
export const ensureAccessIndexes = async (store: Store, uniqueEmail: boolean): Promise<void> => {
  for (const [collection, keys, options] of INDEXES)
    await store.db.collection(collection).createIndex(keys, options);
  await ensureUniqueEmail(store, uniqueEmail);
};
