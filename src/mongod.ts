import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { reach } from './store/client.js';

/** A running mongod. */
interface Mongod {
  readonly uri: string;
  close(): Promise<void>;
}

/** A replica set with one member, which transactions require. */
const replSet = {
  count: 1,
  storageEngine: 'wiredTiger',
  // In its own process group: Ctrl-C in the terminal only reaches this process, which stops mongod after the
  // last request.
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

/**
 * The port for this data. The members of a replica set are identified by address, so it can only be restarted
 * on its original port.
 */
export const savedPort = async (dataDir: string): Promise<number> => {
  const file = join(dataDir, 'mongod.port');
  const saved = Number(await readFile(file, 'utf8').catch(() => ''));
  if (Number.isInteger(saved) && saved > 0) return saved;
  const port = await freePort();
  await writeFile(file, `${port}\n`);
  return port;
};

const versionFile = (dataDir: string): string => join(dataDir, 'mongod.version');

/**
 * The version of mongod that created this data; null if there is none yet. A later version would change the
 * data's format and an earlier one cannot read it, so the default of the package must not decide.
 */
export const savedVersion = async (dataDir: string): Promise<string | null> => {
  const saved = (await readFile(versionFile(dataDir), 'utf8').catch(() => '')).trim();
  return /^\d+\.\d+\.\d+$/.test(saved) ? saved : null;
};

/** Records the version if there is no record yet. To change it, upgrade the data and delete the file. */
export const keepVersion = async (dataDir: string, version: string): Promise<void> => {
  if ((await savedVersion(dataDir)) === null) await writeFile(versionFile(dataDir), `${version}\n`);
};

/**
 * Starts a mongod that `mongodb-memory-server` (a development dependency) finds or downloads, with its data
 * in `dataDir`. Rejects with a one-line message if there is no mongod or it does not start.
 */
export const startMongod = async (dataDir: string): Promise<Mongod> => {
  const { MongoBinary, MongoMemoryReplSet } = await import('mongodb-memory-server').catch(() => {
    throw new Error(
      'MANGROVE_ENGINE=mongod needs the package mongodb-memory-server: npm install mongodb-memory-server',
    );
  });
  const oneLine = (error: Error): string => error.message.replaceAll(/\s+/g, ' ');
  const version = await savedVersion(dataDir);
  const binary = version === null ? {} : { version };
  await MongoBinary.getPath(binary).catch((error: Error) => {
    throw new Error(
      `No mongod: ${oneLine(error)}. Set MONGOMS_SYSTEM_BINARY to one, or let this machine download it.`,
    );
  });
  const dbPath = join(dataDir, 'mongod');
  await mkdir(dbPath, { recursive: true });
  const port = await savedPort(dataDir);
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
