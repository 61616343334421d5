import { randomBytes } from 'node:crypto';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEngine } from '@mangrove/engine';
import { openStore, type Store } from '../../src/store/client.js';
import { embedded } from './embedded-engine.js';

export interface TestStore {
  readonly store: Store;
  /** The URI of the deployment, for a second client. */
  readonly uri: string;
  /** The name of the database, which only this store uses. */
  readonly name: string;
  /** Drops the database and closes. */
  close(): Promise<void>;
}

/** One embedded engine for all stores of a test file, in a folder of its own; `engine-hooks.ts` closes it. */
async function useEmbedded(): Promise<string> {
  embedded.running ??= mkdtemp(join(tmpdir(), 'mangrove-test-')).then(async (dataDir) => ({
    engine: await startEngine({ dataDir }),
    dataDir,
  }));
  return (await embedded.running).engine.uri;
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
    },
  };
}
