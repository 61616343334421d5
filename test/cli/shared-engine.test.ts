/** Commands that use the embedded engine of another process, such as that of an import. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEngine } from '@mangrove/engine';
import { expect } from 'chai';
import { withDatabase } from '../../src/cli/with-store.js';
import { loadConfig } from '../../src/config/load.js';
import { openProject } from '../../src/project.js';
import { startServing } from '../../src/serve/index.js';
import { openStore } from '../../src/store/client.js';
import { takeLock } from '../../src/store/leases/lock.js';
import { importLock } from '../../src/store/transfer/staging.js';
import { typeFile } from '../support/schemas.js';

describe('a command beside the owner of the embedded engine', function () {
  this.timeout(180_000);
  let root: string;

  before(async () => {
    root = await mkdtemp(join(tmpdir(), 'mangrove-shared-'));
  });
  after(() => rm(root, { recursive: true, force: true }));

  it('says who has ended if that process ends first, and keeps other errors', async () => {
    const loaded = await loadConfig(root, {});
    const config = { ...loaded, database: { ...loaded.database, serverSelectionTimeoutMS: 500 } };
    const owner = await startEngine({ dataDir: join(config.database.dataDir, 'embedded') });
    const failing = (work: () => Promise<unknown>): Promise<string> =>
      withDatabase(config, async ({ store, sharedWith }) => {
        expect(sharedWith).to.equal(process.pid);
        await work();
        await store.db.command({ ping: 1 });
        return 'answered';
      }).catch(({ message }: Error) => message);
    expect(await failing(() => Promise.reject(new Error('of its own')))).to.equal('of its own');
    expect(await failing(() => owner.close())).to.equal(
      `The data in ${config.database.dataDir} was served by process ${process.pid}, which has ended, and this command with it: run it again`,
    );
  });

  it('starts no server on the engine of a running import', async () => {
    await mkdir(join(root, 'content-types', 'note'), { recursive: true });
    const { content } = typeFile('note', { title: { type: 'string' } });
    await writeFile(join(root, 'content-types', 'note', 'schema.json'), JSON.stringify(content));
    const { database } = await loadConfig(root, {});
    const owner = await startEngine({ dataDir: join(database.dataDir, 'embedded') });
    const store = await openStore({ uri: owner.uri });
    const serving = (): Promise<string> =>
      startServing({ root, env: { PORT: '0' } }).then(
        ({ stop }) => stop().then(() => 'served'),
        ({ message }: Error) => message,
      );
    const place = importLock(store.db);
    try {
      const lock = await takeLock(place);
      expect(await serving()).to.equal(
        `The data in ${database.dataDir} is open in an import, process ${process.pid}: start again when it has ended`,
      );
      await openProject({ root, env: {} }).then(({ close }) => close());
      await place.documents.updateOne({ _id: place._id }, { $set: { pid: process.pid + 1 } });
      expect(await serving(), 'beside an import on the engine of another').to.equal('served');
      await lock?.release();
      expect(await serving()).to.equal('served');
      const dead = { _id: place._id, owner: 'dead', beat: 7, pid: process.pid };
      await place.documents.insertOne({ ...dead });
      expect(await serving(), 'after an import that was killed').to.equal('served');
      expect(await place.documents.findOne({ _id: place._id })).to.deep.equal(dead);
    } finally {
      await store.close();
      await owner.close();
    }
  });
});
