/** Commands that use the embedded engine of another process, such as that of an import. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEngine } from '@mangrove/engine';
import { expect } from 'chai';
import { withDatabase } from '../../src/cli/with-store.js';
import { loadConfig } from '../../src/config/load.js';

describe('a command beside the owner of the embedded engine', function () {
  this.timeout(60_000);
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
});
