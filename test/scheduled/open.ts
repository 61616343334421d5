import { makeConfig } from '../../src/config/load.js';
import { createReader } from '../../src/documents/read/create-reader.js';
import { createDocuments } from '../../src/documents/service.js';
import type { Documents } from '../../src/documents/types.js';
import { openStore, type Store } from '../../src/store/client.js';
import { ensureIndexes } from '../../src/store/indexes/sync.js';
import { library } from './library.js';

interface Open {
  readonly store: Store;
  readonly documents: Documents;
}

/** The Document Service on a store. */
export async function documentsOn(store: Store, schema = library()): Promise<Documents> {
  await ensureIndexes(store, schema);
  const config = makeConfig('.', { plugins: { i18n: { defaultLocale: 'en', locales: ['en', 'fr'] } } });
  const reader = createReader({ schema, store, config });
  return createDocuments({ schema, store, config, reader });
}

/** The same on a database, as another process opens it. */
export async function openDocuments(uri: string, name: string): Promise<Open> {
  const store = await openStore({ uri, name });
  return { store, documents: await documentsOn(store) };
}
