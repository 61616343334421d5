import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { reach } from './store/client.js';

/** A running mongod of our own. */
interface Mongod {
  readonly uri: string;
  close(): Promise<void>;
}

/** A replica set of one, which is what transactions need. */
const replSet = {
  count: 1,
  storageEngine: 'wiredTiger',
  // A group of its own: Ctrl-C in the terminal is for us, and we end it once the last request is answered.
  spawn: { detached: true },
} as const;

const freePort = (): Promise<number> =>
  new Promise((resolve, reject) => {
    const server = createServer().once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    });
  });

/** The port of this data. A replica set knows its members by address, so it starts again only at the one that it was made on. */
export const keptPort = async (dataDir: string): Promise<number> => {
  const file = join(dataDir, 'mongod.port');
  const kept = Number(await readFile(file, 'utf8').catch(() => ''));
  if (Number.isInteger(kept) && kept > 0) return kept;
  const port = await freePort();
  await writeFile(file, `${port}\n`);
  return port;
};

const versionFile = (dataDir: string): string => join(dataDir, 'mongod.version');

/**
 * The version of mongod that this data was made with; null: none yet. A later one would change the data's format, an earlier one
 * cannot read it, so what the package downloads by default must not decide.
 */
export const keptVersion = async (dataDir: string): Promise<string | null> => {
  const kept = (await readFile(versionFile(dataDir), 'utf8').catch(() => '')).trim();
  return /^\d+\.\d+\.\d+$/.test(kept) ? kept : null;
};

/** Notes the version, where none is noted. Another one is taken by deleting the file, once the data is upgraded. */
export const keepVersion = async (dataDir: string, version: string): Promise<void> => {
  if ((await keptVersion(dataDir)) === null) await writeFile(versionFile(dataDir), `${version}\n`);
};

/**
 * A mongod that `mongodb-memory-server` finds or downloads, with its data kept in `dataDir`. The package is a development
 * dependency. Rejects with one line where there is no mongod, or it does not start.
 */
export const startMongod = async (dataDir: string): Promise<Mongod> => {
  const { MongoBinary, MongoMemoryReplSet } = await import('mongodb-memory-server').catch(() => {
    throw new Error(
      'MANGROVE_ENGINE=mongod needs the package mongodb-memory-server: npm install mongodb-memory-server',
    );
  });
  const oneLine = (error: Error): string => error.message.replaceAll(/\s+/g, ' ');
  const version = await keptVersion(dataDir);
  const binary = version === null ? {} : { version };
  await MongoBinary.getPath(binary).catch((error: Error) => {
    throw new Error(
      `No mongod: ${oneLine(error)}. Set MONGOMS_SYSTEM_BINARY to one, or let this machine download it.`,
    );
  });
  const dbPath = join(dataDir, 'mongod');
  await mkdir(dbPath, { recursive: true });
  const port = await keptPort(dataDir);
  const instanceOpts = [{ dbPath, port }];
  const server = await MongoMemoryReplSet.create({ replSet, binary, instanceOpts }).catch((error: Error) => {
    const made = version === null ? '' : ` and a mongod that reads data of ${version}`;
    throw new Error(
      `mongod does not start: ${oneLine(error)}. Its data in ${dbPath} needs port ${port} to be free${made}.`,
    );
  });
  await keepVersion(dataDir, await reach(server.getUri()));
  return { uri: server.getUri(), close: async () => void (await server.stop({ doCleanup: false })) };
};
