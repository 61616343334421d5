import { resolve } from 'node:path';
import type { MeterSettings } from './planner/meter-settings.js';
import type { RunningEngine } from './serve-owned.js';
import { prepareFolder } from './storage/data-folder.js';
import { serveInThread } from './thread/serve-in-thread.js';
import { DEFAULT_LIMITS, type ResourceLimits } from './values/limits.js';
import { newPassword } from './wire/scram.js';
import type { Address } from './wire/server.js';
import { socketPathFor } from './wire/socket-folder.js';

export { EngineError, ERROR_CODES } from './errors.js';
export type { RunningEngine } from './serve-owned.js';
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

/**
 * Starts a MongoDB-wire server on a data folder, or finds the one that another process runs on it: a folder has one
 * owner. Rejects with `DataFolderError` where the folder cannot serve, and with Node's error where the port is taken.
 */
export async function startEngine(options: EngineOptions): Promise<RunningEngine> {
  const settings = settingsOf(options);
  prepareFolder(options.dataDir);
  const address = addressOf(options);
  const credentials = 'socketPath' in address ? undefined : { user: USER, password: newPassword() };
  const durable = options.durable !== false;
  // A thread loads the engine itself.
  const start = (options.thread ?? IS_BUILT) ? serveInThread : (await import('./serve-owned.js')).serveOwned;
  return start({ dataDir: options.dataDir, address, durable, settings, credentials });
}
