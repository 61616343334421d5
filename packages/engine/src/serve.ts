import { dispatch } from './commands/dispatch.js';
import { Engine } from './engine.js';
import { startHousekeeping } from './housekeeping/housekeeping.js';
import type { MeterSettings } from './planner/meter-settings.js';
import type { Credentials } from './wire/scram.js';
import { type Address, startServer } from './wire/server.js';

/** What to serve, and where. */
export interface ServeOptions {
  readonly dataDir: string;
  readonly address: Address;
  /** Whether each commit is flushed before it is acknowledged. */
  readonly durable: boolean;
  /** The version to announce, and the limits of operations. */
  readonly settings: MeterSettings;
  /** Who may connect; by default everyone who can reach the socket. */
  readonly credentials?: Credentials | undefined;
}

/** A data folder being served. */
interface Serving {
  /** `host:port`, or the path of the socket. */
  readonly host: string;
  close(): Promise<void>;
}

function hostOf(address: Address, port: number): string {
  if ('socketPath' in address) return address.socketPath;
  return address.host.includes(':') ? `[${address.host}]:${port}` : `${address.host}:${port}`;
}

/**
 * Opens a folder that this process owns and serves it. Rejects with `DataFolderError`, or with Node's error if it cannot listen.
 */
export async function serve({
  dataDir,
  address,
  durable,
  settings,
  credentials,
}: ServeOptions): Promise<Serving> {
  const engine = new Engine(dataDir, durable, settings, credentials);
  const stopHousekeeping = startHousekeeping(engine);
  try {
    const server = await startServer(address, (request, connection) => dispatch(engine, request, connection));
    engine.address = hostOf(address, server.port);
    return {
      host: engine.address,
      close: async () => {
        stopHousekeeping();
        await server.close();
        await engine.close();
      },
    };
  } catch (error) {
    stopHousekeeping();
    await engine.close();
    throw error;
  }
}
