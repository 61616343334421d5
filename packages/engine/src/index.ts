import { resolve } from 'node:path';
import type { MeterSettings } from './planner/meter-settings.js';
import type { RunningEngine } from './serve-owned.js';
import { prepareFolder } from './storage/data-folder.js';
import { serveInThread } from './thread/serve-in-thread.js';
import { DEFAULT_LIMITS, type ResourceLimits } from './values/limits.js';
import { type Shortcut, shortcutsWith } from './values/shortcuts.js';
import { newPassword } from './wire/scram.js';
import type { Address } from './wire/server.js';
import { socketPathFor } from './wire/socket-folder.js';

export { EngineError, ERROR_CODES } from './errors.js';
export type { RunningEngine } from './serve-owned.js';
export { DataFolderError } from './storage/data-folder.js';

/** Options for starting an engine. */
interface EngineOptions {
  /** The data folder; created if it does not exist. */
  readonly dataDir: string;
  /** A TCP port on the loopback interface; 0 takes a free one. Clients need the password from the connection string. */
  readonly port?: number | undefined;
  /** A loopback address. Default: 127.0.0.1. */
  readonly host?: string | undefined;
  /**
   * A unix socket, created with mode 0600. Default, without a port: `engine.sock` in a folder that only its owner can enter,
   * which is the data folder if possible.
   */
  readonly socketPath?: string | undefined;
  /**
   * False for data that may be lost if the machine fails, such as a test's: a commit is acknowledged before it is on disk. Even
   * then, killing the process loses nothing. Default: true.
   */
  readonly durable?: boolean | undefined;
  /**
   * The MongoDB version to emulate, as `major.minor`: newer operators and commands are unknown, so that what a deployment of that
   * version would reject is rejected here. Default: 7.0, the newest.
   */
  readonly version?: string | undefined;
  /** The limits of an operation, where they differ from MongoDB's defaults. */
  readonly limits?: Partial<ResourceLimits> | undefined;
  /** Shortcuts that are not used, for comparison with the plain way; all are by default. */
  readonly shortcuts?: Partial<Record<Shortcut, boolean>> | undefined;
  /**
   * Run in a separate thread, so that a long query does not block the rest of the process. Default: true, except when running
   * from TypeScript sources, which each thread would have to compile again.
   */
  readonly thread?: boolean | undefined;
}

/** The versions that can be announced. */
const VERSIONS = ['5.0', '6.0', '7.0'];

function settingsOf({ version = '7.0', limits, shortcuts }: EngineOptions): MeterSettings {
  if (!VERSIONS.includes(version)) {
    throw new RangeError(`The embedded engine follows MongoDB ${VERSIONS.join(', ')}, not ${version}`);
  }
  return {
    version: Number(version),
    limits: { ...DEFAULT_LIMITS, ...limits },
    shortcuts: shortcutsWith(shortcuts),
  };
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
 * Starts an engine on a data folder, or finds the one that another process runs on it, since a folder has only one owner. Rejects
 * with `DataFolderError` if the folder cannot be used, and with Node's error if the port is taken.
 */
export async function startEngine(options: EngineOptions): Promise<RunningEngine> {
  const settings = settingsOf(options);
  prepareFolder(options.dataDir);
  const address = addressOf(options);
  const credentials = 'socketPath' in address ? undefined : { user: USER, password: newPassword() };
  const durable = options.durable !== false;
  // The thread loads the engine itself.
  const start = (options.thread ?? IS_BUILT) ? serveInThread : (await import('./serve-owned.js')).serveOwned;
  return start({ dataDir: options.dataDir, address, durable, settings, credentials });
}
