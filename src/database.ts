import { join } from 'node:path';
import type { Config } from './config/types.js';
import { errors } from './errors.js';
import { reach } from './store/client.js';

/** The address of the database, and how to close it. */
export interface Database {
  readonly uri: string;
  /** The database for Mangrove's own collections, if it is a different one. */
  readonly system: DatabaseAddress | null;
  /** The id of the process that the embedded engine belongs to, if it is another one. */
  readonly sharedWith: number | null;
  close(): Promise<void>;
}

/** Another database, in the same deployment unless `uri` is set. */
interface DatabaseAddress {
  readonly uri: string | null;
  readonly name: string | null;
}

type Running = Omit<Database, 'system'>;

const startEmbedded = async (dataDir: string, version: string): Promise<Running> => {
  const { startEngine } = await import('@mangrove/engine');
  const engine = await startEngine({ dataDir, version });
  return { uri: engine.uri, sharedWith: engine.owned ? null : engine.pid, close: () => engine.close() };
};

/** The configured deployment, or an embedded engine with its data under `dataDir`. */
export const openDatabase = async (config: Pick<Config, 'database'>): Promise<Database> => {
  const content = await openContent(config);
  try {
    const own = await openSystem(config);
    const close = async (): Promise<void> => {
      await own?.close();
      await content.close();
    };
    return { ...content, system: own && { uri: own.uri, name: own.name }, close };
  } catch (error) {
    await content.close();
    throw error;
  }
};

/** `database.system`: a name, a URI, or an embedded engine in addition to a deployment. */
async function openSystem({
  database,
}: Pick<Config, 'database'>): Promise<(DatabaseAddress & { readonly close: () => Promise<void> }) | null> {
  const { system, uri, dataDir, engineVersion } = database;
  const close = async (): Promise<void> => undefined;
  if (system === null) return null;
  if (system !== 'embedded') {
    const isAddress = /^mongodb(\+srv)?:\/\//.test(system);
    if (isAddress) await reach(system);
    return isAddress ? { uri: system, name: null, close } : { uri: null, name: system, close };
  }
  if (uri === null)
    throw errors.application(
      'system-database-invalid',
      'database.system can be "embedded" only if database.uri names a deployment',
    );
  return { ...(await startEmbedded(join(dataDir, 'embedded'), engineVersion)), name: null };
}

const openContent = async ({ database }: Pick<Config, 'database'>): Promise<Running> => {
  const { uri, engine, dataDir, engineVersion } = database;
  if (uri !== null) {
    await reach(uri);
    return { uri, sharedWith: null, close: async () => undefined };
  }
  if (engine !== 'mongod') return startEmbedded(join(dataDir, 'embedded'), engineVersion);
  const { startMongod } = await import('./mongod.js');
  return { ...(await startMongod(dataDir)), sharedWith: null };
};
