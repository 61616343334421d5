import { makeConfig } from '../../src/config/load.js';
import { createReader } from '../../src/documents/read/create-reader.js';
import { createDocuments } from '../../src/documents/service.js';
import type { Documents } from '../../src/documents/types.js';
import { openStore, type Store } from '../../src/store/client.js';
import { ensureIndexes } from '../../src/store/indexes/sync.js';
import { library } from '../support/versions-schema.js';

/** The library of the Document Service's tests, on a deployment that may have been left in the middle of a write. */
export async function openDocuments(
  uri: string,
  name: string,
): Promise<{ store: Store; documents: Documents }> {
  const schema = library();
  const store = await openStore({ uri, name });
  const config = makeConfig('.');
  await ensureIndexes(store, schema);
  const reader = createReader({ schema, store, config });
  return { store, documents: await createDocuments({ schema, store, config, reader }) };
}
