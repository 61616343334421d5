import type { CreateIndexesOptions, IndexDescription, IndexSpecification } from 'mongodb';
import { isDuplicateValue } from '../connection/duplicate.js';
import type { Store } from '../connection/store.js';

const UNIQUE: CreateIndexesOptions = { unique: true };

/**
 * Indexes for lookups of the access module, and unique ones for what must not exist twice even when requests
 * race. The unique names of accounts and types of roles are attributes of their content types (indexes.ts).
 */
const INDEXES: Readonly<Record<string, readonly IndexDescription[]>> = {
  'mangrove.users': [
    { key: { email: 1 } },
    { key: { nameKey: 1 } },
    { key: { resetPasswordToken: 1 } },
    { key: { confirmationToken: 1 } },
  ],
  'mangrove.tokens': [
    { key: { accessKey: 1 }, unique: true },
    { key: { name: 1 }, unique: true },
  ],
  'mangrove.sessions': [
    { key: { sessionId: 1 }, unique: true },
    { key: { userId: 1 } },
    { key: { expiresAt: 1 }, expireAfterSeconds: 0 },
  ],
  'mangrove.limits': [
    { key: { key: 1 }, unique: true },
    { key: { expire: 1 }, expireAfterSeconds: 0 },
  ],
};

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
  for (const [collection, indexes] of Object.entries(INDEXES))
    await store.db.collection(collection).createIndexes([...indexes]);
  const unique = {
    email: await ensureUniqueEmail(store, uniqueEmail),
    username: await ensureUniqueNames(store),
  };
  return Object.entries(unique).flatMap(([field, holds]) => (holds ? [] : [field]));
};
