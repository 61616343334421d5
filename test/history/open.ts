import { makeConfig } from '../../src/config/load.js';
import { createReader } from '../../src/documents/read/create-reader.js';
import { createDocuments } from '../../src/documents/service.js';
import type { Documents } from '../../src/documents/types.js';
import { openStore, type Store } from '../../src/store/client.js';
import { ensureIndexes } from '../../src/store/indexes/sync.js';
import { library } from './library.js';

/**
 * The library on a database, as another process opens it.
 * @param catchesUp whether it looks for what was missed, as a server does
 */
export async function openDocuments(
  uri: string,
  name: string,
  schema = library(),
  catchesUp = true,
): Promise<{ store: Store; documents: Documents }> {
  const store = await openStore({ uri, name });
  const config = makeConfig('.');
  await ensureIndexes(store, schema);
  const reader = createReader({ schema, store, config });
  return { store, documents: await createDocuments({ schema, store, config, reader, catchesUp }) };
}
