import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type RunningEngine, startEngine } from '../../src/embedded/index.js';
import { openStore, type Store } from '../../src/store/client.js';

export interface TestStore {
  readonly store: Store;
  /** The deployment, for a second client. */
  readonly uri: string;
  /** The database's name, of this store alone. */
  readonly name: string;
  /** Drops the database and closes. */
  close(): Promise<void>;
}

let embedded: Promise<{ engine: RunningEngine; dataDir: string }> | null = null;
let users = 0;

/** One embedded engine for all stores that are open, in a folder of its own. */
async function useEmbedded(): Promise<string> {
  users++;
  embedded ??= mkdtemp(join(tmpdir(), 'mangrove-test-')).then(async (dataDir) => ({
    engine: await startEngine({ dataDir }),
    dataDir,
  }));
  return (await embedded).engine.uri;
}

/** The last one out stops it, so that the test run can end. */
async function leaveEmbedded(): Promise<void> {
  users--;
  const running = embedded;
  if (users > 0 || running === null) return;
  embedded = null;
  const { engine, dataDir } = await running;
  await engine.close();
  await rm(dataDir, { recursive: true, force: true });
}

/** Waits for what writes leave to be done after they are answered: it would make collections again that are dropped. */
export const settled = async ({ beforeClose }: Store): Promise<void> => {
  await Promise.all(beforeClose.map((end) => end()));
};

/** A fresh database on `MONGODB_URI`, else on the embedded engine. */
export async function testStore(): Promise<TestStore> {
  const given = process.env['MONGODB_URI'];
  const uri = given ?? (await useEmbedded());
  const name = `test_${randomBytes(6).toString('hex')}`;
  const store = await openStore({ uri, name });
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
