import type { CreateIndexesOptions, IndexSpecification } from 'mongodb';
import { isDuplicateValue } from '../connection/duplicate.js';
import type { Store } from '../connection/store.js';

const UNIQUE: CreateIndexesOptions = { unique: true };
const ENDS: CreateIndexesOptions = { expireAfterSeconds: 0 };

/**
 * Indexes for lookups of the access module, and unique ones for what must not exist twice even when requests
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
const NAME_UNIQUE = 'name_unique';

/** False if stored accounts already have equal values: they stay, and so does a server's start. */
const createsUnique = async (
  { db }: Store,
  keys: IndexSpecification,
  options: CreateIndexesOptions,
): Promise<boolean> => {
  try {
    await db.collection('mangrove.users').createIndex(keys, { ...UNIQUE, ...options });
    return true;
  } catch (error) {
    if (!isDuplicateValue(error)) throw error;
    return false;
  }
};

/** Who requires that each account has an email address of its own. */
export interface UniqueEmail {
  /** The attribute is unique: there is an index of this name already, like that of any unique attribute. */
  readonly bySchema: boolean;
  /** `unique_email` */
  readonly bySettings: boolean;
}

/** Allows one account per email address, if the settings require it. */
const ensureUniqueEmail = async (store: Store, { bySchema, bySettings }: UniqueEmail): Promise<boolean> => {
  if (bySchema) return true;
  if (bySettings) return createsUnique(store, { email: 1, locale: 1 }, { name: EMAIL_UNIQUE });
  const users = store.db.collection('mangrove.users');
  if (await users.indexExists(EMAIL_UNIQUE)) await users.dropIndex(EMAIL_UNIQUE);
  return true;
};

/** Allows one account per name, whichever of several servers stores it; one without a key has none yet. */
const ensureUniqueNames = (store: Store): Promise<boolean> =>
  createsUnique(
    store,
    { nameKey: 1, locale: 1 },
    { name: NAME_UNIQUE, partialFilterExpression: { nameKey: { $type: 'string' } } },
  );

/**
 * Creates the indexes of the access collections; existing ones stay. Returns the fields that must be unique
 * and are not, because stored accounts have equal values.
 */
export const ensureAccessIndexes = async (
  store: Store,
  uniqueEmail: UniqueEmail,
): Promise<readonly string[]> => {
  for (const [collection, keys, options] of INDEXES)
    await store.db.collection(collection).createIndex(keys, options);
  const unique = {
    email: await ensureUniqueEmail(store, uniqueEmail),
    username: await ensureUniqueNames(store),
  };
  return Object.entries(unique).flatMap(([field, holds]) => (holds ? [] : [field]));
};
