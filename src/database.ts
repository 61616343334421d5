import { join } from 'node:path';
import type { Config } from './config/types.js';
import { startEngine } from './embedded/index.js';
import { startMongod } from './mongod.js';
import { reach } from './store/client.js';

/** Where the database is, and how to end it where it is ours. */
export interface Database {
  readonly uri: string;
  /** The embedded engine is another process's. */
  readonly shared: boolean;
  close(): Promise<void>;
}

const startEmbedded = async (dataDir: string, version: string): Promise<Database> => {
  const engine = await startEngine({ dataDir, version });
  return { uri: engine.uri, shared: !engine.owned, close: () => engine.close() };
};

/** The deployment that the configuration names, else an engine of our own with its data under `dataDir`. */
export const openDatabase = async ({ database }: Config): Promise<Database> => {
  const { uri, engine, dataDir, engineVersion } = database;
  if (uri !== null) {
    await reach(uri);
    return { uri, shared: false, close: async () => undefined };
  }
  return engine === 'mongod'
    ? { ...(await startMongod(dataDir)), shared: false }
    : startEmbedded(join(dataDir, 'embedded'), engineVersion);
};
