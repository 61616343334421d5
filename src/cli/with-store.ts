import { loadConfig } from '../config/load.js';
import type { Config } from '../config/types.js';
import { openDatabase } from '../database.js';
import { loadSchema } from '../schema/load.js';
import type { Schema } from '../schema/types.js';
import { openStore, type Store } from '../store/client.js';
import { noteEvent } from '../terminal/output.js';

export interface OpenStore {
  readonly config: Config;
  readonly schema: Schema;
  readonly store: Store;
  /** Another process has the embedded engine open. */
  readonly shared: boolean;
}

/** Runs `work` on a project's database as it is: nothing is made or changed by opening it. */
export async function withStore<T>(root: string, work: (open: OpenStore) => Promise<T>): Promise<T> {
  const config = await loadConfig(root, process.env);
  for (const warning of config.warnings) noteEvent(warning);
  const { privateAttributes } = config.responses;
  const schema = await loadSchema({ folder: root, privateAttributes, customFields: config.customFields });
  const database = await openDatabase(config);
  try {
    const store = await openStore({ ...config.database, uri: database.uri, system: database.system });
    try {
      return await work({ config, schema, store, shared: database.shared });
    } finally {
      await store.close();
    }
  } finally {
    await database.close();
  }
}
