import { resolve } from 'node:path';
import type { MeterSettings } from './planner/meter.js';
import { DataFolderError, prepareFolder } from './storage/data-folder.js';
import { type Owner, Ownership } from './storage/owner.js';
import { serveInThread } from './thread/serve-in-thread.js';
import { DEFAULT_LIMITS, type ResourceLimits } from './values/limits.js';
import { type Credentials, MECHANISM, newPassword } from './wire/scram.js';
import type { Address } from './wire/server.js';
import { socketPathFor } from './wire/socket-folder.js';

export { EngineError, ERROR_CODES } from './errors.js';
export { DataFolderError } from './storage/data-folder.js';

/** How to start an engine. */
export interface EngineOptions {
  /** The folder of the data; made if it is not there. */
  readonly dataDir: string;
  /** A TCP port on the loopback interface; 0 takes a free one. Who connects there needs the password of the connection string. */
  readonly port?: number | undefined;
  /** A loopback address; 127.0.0.1 if absent. */
  readonly host?: string | undefined;
  /**
   * A unix socket, made with mode 0600. Without it and without a port: `engine.sock` in a folder that only its owner can
   * enter, the data folder where it is one.
   */
  readonly socketPath?: string | undefined;
  /**
   * False for data that may be lost with the machine, such as a test's: a commit is answered before the disk has it.
   * A killed process still loses nothing. True if absent.
   */
  readonly durable?: boolean | undefined;
  /**
   * The version of MongoDB to follow, as `major.minor`: operators and commands that are newer are unknown, so that what
   * a deployment of that version would refuse is refused here. 7.0, the newest, if absent.
   */
  readonly version?: string | undefined;
  /** How much one operation may use, where that differs from MongoDB's defaults. */
  readonly limits?: Partial<ResourceLimits> | undefined;
  /**
   * Run in a thread of its own, so that a long query does not hold up the rest of the process. True if absent, except
   * where the TypeScript sources are run as they are, since each thread would have to compile them anew.
   */
  readonly thread?: boolean | undefined;
}

/** A running engine, or one of another process that has the folder already. */
export interface RunningEngine {
  /** A connection string for any MongoDB driver. */
  readonly uri: string;
  /** Whether this call started it; if not, `close` leaves it running. */
  readonly owned: boolean;
  close(): Promise<void>;
}

/** The versions that can be announced. */
const VERSIONS = ['5.0', '6.0', '7.0'];

function settingsOf({ version = '7.0', limits }: EngineOptions): MeterSettings {
  if (!VERSIONS.includes(version)) {
    throw new RangeError(`The embedded engine follows MongoDB ${VERSIONS.join(', ')}, not ${version}`);
  }
  return { version: Number(version), limits: { ...DEFAULT_LIMITS, ...limits } };
}

const IS_BUILT = !import.meta.url.endsWith('.ts');
const LOOPBACK = /^(127\.\d+\.\d+\.\d+|::1|localhost)$/;
const WAIT_FOR_OWNER = 15_000;

const USER = 'mangrove';

function addressOf(options: EngineOptions): Address {
  const { port, host = '127.0.0.1', socketPath } = options;
  if (!LOOPBACK.test(host)) {
    throw new RangeError(`The embedded engine listens on loopback only, not on ${host}`);
  }
  if (socketPath !== undefined) return { socketPath: resolve(socketPath) };
  if (port !== undefined || options.host !== undefined || process.platform === 'win32')
    return { host, port: port ?? 0 };
  return { socketPath: socketPathFor(resolve(options.dataDir)) };
}

/** An engine that is busy, as with an index over millions of documents, has not gone: its end closes the connection. */
const OPTIONS = 'directConnection=true&connectTimeoutMS=0';

/** The connection string of an address; on a port it has the password that is asked for there. */
function uriOf(address: Address, host: string, credentials: Credentials | undefined): string {
  if ('socketPath' in address) return `mongodb://${encodeURIComponent(host)}/?${OPTIONS}`;
  const who = credentials === undefined ? '' : `${credentials.user}:${credentials.password}@`;
  return `mongodb://${who}${host}/?${OPTIONS}&authMechanism=${MECHANISM}&authSource=admin`;
}

/** Waits until the process that has the folder serves, or has gone. */
async function ownerUri(dataDir: string, ownership: Ownership, first: Owner): Promise<string | undefined> {
  const until = Date.now() + WAIT_FOR_OWNER;
  let owner: Owner | undefined = first;
  while (owner !== undefined && owner.uri === undefined) {
    if (Date.now() > until) {
      throw new DataFolderError(dataDir, `process ${owner.pid} holds it and does not say where it serves`);
    }
    await new Promise((wake) => setTimeout(wake, 50));
    owner = ownership.take();
  }
  return owner?.uri;
}

/**
 * Starts a MongoDB-wire server on a data folder, or finds the one that another process runs on it: a folder has one
 * owner. Rejects with `DataFolderError` where the folder cannot serve, and with Node's error where the port is taken.
 */
export async function startEngine(options: EngineOptions): Promise<RunningEngine> {
  const settings = settingsOf(options);
  prepareFolder(options.dataDir);
  const address = addressOf(options);
  const credentials = 'socketPath' in address ? undefined : { user: USER, password: newPassword() };
  const ownership = new Ownership(options.dataDir);
  const owner = ownership.take();
  const other = owner === undefined ? undefined : await ownerUri(options.dataDir, ownership, owner);
  if (other !== undefined) {
    await ownership.leave();
    return { uri: other, owned: false, close: async () => {} };
  }
  try {
    // A thread loads the engine itself.
    const start = (options.thread ?? IS_BUILT) ? serveInThread : (await import('./serve.js')).serve;
    const durable = options.durable !== false;
    const serving = await start({ dataDir: options.dataDir, address, durable, settings, credentials });
    const uri = uriOf(address, serving.host, credentials);
    ownership.announce(uri);
    const close = async () => {
      await serving.close();
      await ownership.release();
    };
    return { uri, owned: true, close };
  } catch (error) {
    await ownership.release();
    throw error;
  }
}
