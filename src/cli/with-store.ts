import { loadConfig } from '../config/load.js';
import type { Config } from '../config/types.js';
import { openDatabase } from '../database.js';
import { schemaOf } from '../project.js';
import type { Schema } from '../schema/types.js';
import { openStore, type Store } from '../store/client.js';
import { noteWarnings } from '../terminal/output.js';

interface OpenStore {
  readonly config: Config;
  readonly schema: Schema;
  readonly store: Store;
  /** The embedded engine is open in another process. */
  readonly shared: boolean;
}

/** Runs `work` on the configured database. Opening it creates and changes nothing. */
export async function withDatabase<T>(
  config: Config,
  work: (open: Pick<OpenStore, 'store' | 'shared'>) => Promise<T>,
): Promise<T> {
  const database = await openDatabase(config);
  try {
    const store = await openStore({ ...config.database, uri: database.uri, system: database.system });
    try {
      return await work({ store, shared: database.shared });
    } finally {
      await store.close();
    }
  } finally {
    await database.close();
  }
}

/** The same for a project's database, with its schema. */
export async function withStore<T>(root: string, work: (open: OpenStore) => Promise<T>): Promise<T> {
  const config = noteWarnings(await loadConfig(root, process.env));
  const schema = await schemaOf(root, config);
  return withDatabase(config, (open) => work({ config, schema, ...open }));
}
