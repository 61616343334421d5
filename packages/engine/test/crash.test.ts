import { MongoClient } from 'mongodb';
import { removeFolder, temporaryFolder } from './support/engine.js';
import { endProcess, startProcess } from './support/processes.js';
import { randomOf, SEED } from './support/random.js';
import { check, nothingYet, prepare, work } from './workload.js';

const KILLS = process.env['MANGROVE_SOAK'] ? 200 : 6;
const CONNECTIONS = 8;
const random = randomOf(SEED);

describe('embedded engine: kill -9', () => {
  let folder: string;
  before(() => {
    folder = temporaryFolder();
  });
  after(() => removeFolder(folder));

  it(`keeps every acknowledged write, consistent indexes and whole transactions through ${KILLS} kills`, async function () {
    this.timeout(KILLS * 20_000 + 60_000);
    const known = nothingYet();
    let { child, uri = '' } = await startProcess(folder);
    let client = await MongoClient.connect(uri);
    await prepare(client.db('crash'));
    for (let kill = 0; kill < KILLS; kill++) {
      await client.close();
      let stopped = false;
      const load = work(uri, 'crash', CONNECTIONS, known, () => stopped, true);
      await new Promise((wake) => setTimeout(wake, 100 + random.below(700)));
      await endProcess(child, 'SIGKILL');
      stopped = true;
      await load;
      ({ child, uri = '' } = await startProcess(folder));
      client = await MongoClient.connect(uri);
      await check(client.db('crash'), known, false);
    }
    await client.close();
    await endProcess(child, 'SIGTERM');
  });
});
