/**
 * Mangrove creates nothing in a database with collections of other programs until the operator has agreed.
 */
import { errors } from '../../errors.js';
import { collectionName } from '../../schema/stored/collections.js';
import type { Schema } from '../../schema/types.js';
import { collectionNames } from '../connection/collections.js';
import { SETTINGS_COLLECTION } from '../connection/settings.js';
import type { Store } from '../connection/store.js';
import { desiredIndexes } from '../indexes/indexes.js';

/** Collections that the first start creates, and those created with the first write, account or upload. */
const SYSTEM = [
  'admins',
  'blobs.chunks',
  'blobs.files',
  'claims',
  'deliveries',
  'files',
  'folders',
  'idempotency',
  'jobs',
  'journal',
  'limits',
  'locales',
  'migrations',
  'outbox',
  'roles',
  'scheduled',
  'seeds',
  'sequences',
  'sessions',
  'settings',
  'tokens',
  'users',
  'webhooks',
].map((name) => `mangrove.${name}`);

/** Throws if a start would create collections beside those of other programs for the first time. */
export async function checkAgreement(store: Store, schema: Schema): Promise<void> {
  const { content, db } = store;
  const beside = [...schema.contentTypes.values()].some(
    ({ storage }) =>
      storage !== null &&
      (storage.database ?? content.name) === db.databaseName &&
      content.client === store.client,
  );
  if (!beside) return;
  const present = new Set(await collectionNames(db));
  // An earlier start created the collections.
  if (present.has(SETTINGS_COLLECTION)) return;
  const own = desiredIndexes(schema).map(({ collection }) => collection);
  const drafts = [...schema.contentTypes.values()]
    .filter(({ storage }) => storage?.drafts)
    .map((type) => collectionName(type, 'draft'));
  const made = [...new Set([...own, ...drafts, ...SYSTEM])].filter((name) => !present.has(name)).sort();
  throw errors.application(
    'database-not-agreed',
    `The database ${db.databaseName} has collections of other programs. Mangrove would add these, with their indexes: ${made.join(', ')}. Start it with --yes to allow that, or set database.system to keep them in another database`,
  );
}
