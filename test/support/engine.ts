import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type RunningEngine, startEngine } from '@mangrove/engine';
import { openStore, type Store } from '../../src/store/client.js';

export interface TestStore {
  readonly store: Store;
  /** The URI of the deployment, for a second client. */
  readonly uri: string;
  /** The name of the database, which only this store uses. */
  readonly name: string;
  /** Drops the database and closes. */
  close(): Promise<void>;
}

let embedded: Promise<{ engine: RunningEngine; dataDir: string }> | null = null;
let users = 0;

/** One embedded engine for all open stores, in a folder of its own. */
async function useEmbedded(): Promise<string> {
  users++;
  embedded ??= mkdtemp(join(tmpdir(), 'mangrove-test-')).then(async (dataDir) => ({
    engine: await startEngine({ dataDir }),
    dataDir,
  }));
  return (await embedded).engine.uri;
}

/** Called by each store that closes; the last one stops the engine, so that the test run can end. */
async function leaveEmbedded(): Promise<void> {
  users--;
  const running = embedded;
  if (users > 0 || running === null) return;
  embedded = null;
  const { engine, dataDir } = await running;
  await engine.close();
  await rm(dataDir, { recursive: true, force: true });
}

/** Waits for work that writes leave for after the response, which would recreate dropped collections. */
export const settled = async ({ beforeClose }: Store): Promise<void> => {
  await Promise.all(beforeClose.map((end) => end()));
};

/** The store of a test that counts commands: no write is too slow for it, and none looks for interrupted writes of others. */
export const unhurried = (store: Store): Store => ({
  ...store,
  writeLimits: { ...store.writeLimits, leaseMS: 600_000 },
});

/** Milliseconds that a total may take: on a slow machine it is late, and not inexact. */
export const PATIENT = 60_000;

/** A fresh database on `MONGODB_URI`, otherwise on the embedded engine. */
export async function testStore(): Promise<TestStore> {
  const given = process.env['MONGODB_URI'];
  const uri = given ?? (await useEmbedded());
  const name = `test_${randomBytes(6).toString('hex')}`;
  const store = await openStore({ uri, name, totalMaxTimeMS: PATIENT });
  return {
    store,
    uri,
    name,
    close: async () => {
      await settled(store);
      await store.db.dropDatabase();
      await store.close();
      if (given === undefined) await leaveEmbedded();
    },
  };
}
