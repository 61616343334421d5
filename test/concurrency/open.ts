import { randomOf } from '../../packages/engine/test/support/random.js';
import { makeConfig } from '../../src/config/load.js';
import { createReader } from '../../src/documents/read/create-reader.js';
import { createDocuments } from '../../src/documents/service.js';
import type { Documents } from '../../src/documents/types.js';
import { openStore, type Store } from '../../src/store/client.js';
import { ensureIndexes } from '../../src/store/indexes/sync.js';
import { startProxy, type WireProxy } from '../support/wire-proxy.js';
import { shapeSchema } from './shape.js';

export interface OpenedWriter {
  readonly documents: Documents;
  readonly store: Store;
  readonly proxy: WireProxy;
  /** From now on, waits up to this many milliseconds before each command. */
  delay(upTo: number, seed: number): void;
  close(): Promise<void>;
}

/** A Document Service whose commands all pass through a proxy. */
export async function openWriter(uri: string, name: string): Promise<OpenedWriter> {
  const schema = shapeSchema();
  const proxy = await startProxy(uri);
  const store = await openStore({ uri: proxy.uri, name });
  const config = makeConfig('.');
  await ensureIndexes(store, schema);
  const reader = createReader({ schema, store, config });
  const documents = await createDocuments({ schema, store, config, reader });
  return {
    documents,
    store,
    proxy,
    delay(upTo, seed) {
      const random = randomOf(seed);
      proxy.meddle = () => (random.below(3) ? random.below(upTo) : 0);
    },
    async close() {
      await store.close();
      await proxy.close();
    },
  };
}
