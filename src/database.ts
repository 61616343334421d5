import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config } from './config/types.js';
import { startEngine } from './embedded/index.js';
import { reach } from './store/client.js';

/** Where the database is, and how to end it where it is ours. */
export interface Database {
  readonly uri: string;
  close(): Promise<void>;
}

/** A mongod that `mongodb-memory-server` finds or downloads, with its data kept. It is a development dependency. */
const startMongod = async (dbPath: string): Promise<Database> => {
  const { MongoBinary, MongoMemoryReplSet } = await import('mongodb-memory-server').catch(() => {
    throw new Error(
      'MANGROVE_ENGINE=mongod needs the package mongodb-memory-server: npm install mongodb-memory-server',
    );
  });
  await MongoBinary.getPath().catch((error: Error) => {
    const cause = error.message.replaceAll(/\s+/g, ' ');
    throw new Error(
      `No mongod: ${cause}. Set MONGOMS_SYSTEM_BINARY to one, or let this machine download it.`,
    );
  });
  await mkdir(dbPath, { recursive: true });
  const server = await MongoMemoryReplSet.create({
    replSet: { count: 1, storageEngine: 'wiredTiger' },
    instanceOpts: [{ dbPath, storageEngine: 'wiredTiger' }],
  });
  return { uri: server.getUri(), close: async () => void (await server.stop({ doCleanup: false })) };
};

const startEmbedded = async (dataDir: string): Promise<Database> => {
  const engine = await startEngine({ dataDir });
  return { uri: engine.uri, close: () => engine.close() };
};

/** The deployment that the configuration names, else an engine of our own with its data under `dataDir` (DESIGN "Engines"). */
export const openDatabase = async ({ database }: Config): Promise<Database> => {
  const { uri, engine, dataDir } = database;
  if (uri !== null) {
    await reach(uri);
    return { uri, close: async () => undefined };
  }
  return engine === 'mongod'
    ? startMongod(join(dataDir, 'mongod'))
    : startEmbedded(join(dataDir, 'embedded'));
};
