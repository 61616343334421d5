import { type ServeOptions, serve } from './serve.js';
import { DataFolderError } from './storage/data-folder.js';
import { type Owner, Ownership } from './storage/owner.js';
import { type Credentials, MECHANISM } from './wire/scram.js';
import type { Address } from './wire/server.js';

/** A running engine, possibly one in another process that owns the folder. */
export interface RunningEngine {
  /** A connection string for any MongoDB driver. */
  readonly uri: string;
  /** Whether this call started it; if not, `close` leaves it running. */
  readonly owned: boolean;
  /** The process that serves. */
  readonly pid: number;
  close(): Promise<void>;
}

const WAIT_FOR_OWNER = 15_000;

/**
 * A busy engine, such as one that is building an index over millions of documents, is still alive: a dead one closes the
 * connection.
 */
const OPTIONS = 'directConnection=true&connectTimeoutMS=0';

/** The connection string for an address; on a port it includes the password. */
function uriOf(address: Address, host: string, credentials: Credentials | undefined): string {
  if ('socketPath' in address) return `mongodb://${encodeURIComponent(host)}/?${OPTIONS}`;
  const who = credentials === undefined ? '' : `${credentials.user}:${credentials.password}@`;
  return `mongodb://${who}${host}/?${OPTIONS}&authMechanism=${MECHANISM}&authSource=admin`;
}

/** Waits until the process that owns the folder is serving, or has exited. */
async function servingOwner(
  dataDir: string,
  ownership: Ownership,
  first: Owner,
): Promise<Required<Pick<Owner, 'uri' | 'pid'>> | undefined> {
  const until = Date.now() + WAIT_FOR_OWNER;
  let owner: Owner | undefined = first;
  while (owner !== undefined && owner.uri === undefined) {
    if (Date.now() > until) {
      throw new DataFolderError(dataDir, `process ${owner.pid} holds it and does not say where it serves`);
    }
    await new Promise((wake) => setTimeout(wake, 50));
    owner = ownership.take();
  }
  return owner?.uri === undefined ? undefined : { uri: owner.uri, pid: owner.pid };
}

/** Serves a folder, or finds the engine of another process that owns it. Rejects as `startEngine` does. */
export async function serveOwned(options: ServeOptions): Promise<RunningEngine> {
  const { dataDir, address, credentials } = options;
  const ownership = new Ownership(dataDir);
  const owner = ownership.take();
  const other = owner === undefined ? undefined : await servingOwner(dataDir, ownership, owner);
  if (other !== undefined) {
    await ownership.leave();
    return { ...other, owned: false, close: async () => {} };
  }
  try {
    const serving = await serve(options);
    const uri = uriOf(address, serving.host, credentials);
    ownership.announce(uri);
    const close = async () => {
      await serving.close();
      await ownership.release();
    };
    return { uri, owned: true, pid: process.pid, close };
  } catch (error) {
    await ownership.release();
    throw error;
  }
}
