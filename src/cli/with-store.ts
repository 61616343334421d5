import { loadConfig } from '../config/load.js';
import type { Config } from '../config/types.js';
import { type Database, openDatabase } from '../database.js';
import type { Schema } from '../schema/types.js';
import { openStore, reach, type Store } from '../store/client.js';
import { isUnavailable } from '../store/connection/unavailable.js';
import { noteWarnings } from '../terminal/output.js';
import { refused } from './command.js';
import { loadSchemaAndCode } from './project-schema.js';

interface OpenStore {
  readonly config: Config;
  readonly schema: Schema;
  readonly store: Store;
  /** The id of the process that the embedded engine belongs to, if it is another one. */
  readonly sharedWith: number | null;
}

/** Runs `work` on the configured database. Opening it creates and changes nothing. */
export async function withDatabase<T>(
  config: Config,
  work: (open: Pick<OpenStore, 'store' | 'sharedWith'>) => Promise<T>,
): Promise<T> {
  const database = await openDatabase(config);
  try {
    const store = await openStore({ ...config.database, uri: database.uri, system: database.system });
    try {
      return await work({ store, sharedWith: database.sharedWith });
    } finally {
      await store.close();
    }
  } catch (error) {
    if (database.sharedWith === null || !isUnavailable(error) || (await responds(database))) throw error;
    throw refused(
      `The data in ${config.database.dataDir} was served by process ${database.sharedWith}, which has ended, and this command with it: run it again`,
    );
  } finally {
    await database.close();
  }
}

const responds = ({ uri }: Database): Promise<boolean> =>
  reach(uri).then(
    () => true,
    () => false,
  );

/** The same for a project's database. */
export async function withConfigured<T>(
  root: string,
  work: (open: Omit<OpenStore, 'schema'>) => Promise<T>,
): Promise<T> {
  const config = noteWarnings(await loadConfig(root, process.env));
  return withDatabase(config, (open) => work({ config, ...open }));
}

/** The same with its schema. */
export async function withStore<T>(root: string, work: (open: OpenStore) => Promise<T>): Promise<T> {
  const config = noteWarnings(await loadConfig(root, process.env));
  const { schema } = await loadSchemaAndCode(root, config);
  return withDatabase(config, (open) => work({ config, schema, ...open }));
}
