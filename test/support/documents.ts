import { type ConfigOverrides, makeConfig } from '../../src/config/load.js';
import { createReader } from '../../src/documents/read/create-reader.js';
import type { Reader } from '../../src/documents/read/reader.js';
import { createDocuments } from '../../src/documents/service.js';
import type { Documents } from '../../src/documents/types.js';
import type { Schema } from '../../src/schema/types.js';
import type { Store } from '../../src/store/client.js';
import { ensureIndexes } from '../../src/store/indexes/sync.js';
import { testStore } from './engine.js';

export interface TestDocuments {
  readonly documents: Documents;
  readonly reader: Reader;
  readonly store: Store;
  readonly uri: string;
  readonly name: string;
  close(): Promise<void>;
}

/** The Document Service for a schema on a fresh database. */
export async function testDocuments(schema: Schema, overrides: ConfigOverrides = {}): Promise<TestDocuments> {
  const { store, uri, name, close } = await testStore();
  const config = makeConfig('.', overrides);
  await ensureIndexes(store, schema);
  const reader = createReader({ schema, store, config });
  const documents = await createDocuments({ schema, store, config, reader });
  return { documents, reader, store, uri, name, close };
}
