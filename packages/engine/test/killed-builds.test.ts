import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { type Collection, type Document, MongoClient } from 'mongodb';
import { removeFolder, temporaryFolder } from './support/engine.js';
import { endProcess, startProcess } from './support/processes.js';
import { until } from './support/until.js';

/** Enough for an index to take several commits. */
const MANY = 20_000;
const KILLS = process.env['MANGROVE_SOAK'] ? 60 : 3;
const INDEX = { key: { n: 1, tags: 1 }, name: 'n', unique: true };

type Row = Document & { _id: number };

describe('embedded engine: kill -9 during an index build', () => {
  let folder: string;
  before(() => {
    folder = temporaryFolder();
  });
  after(() => removeFolder(folder));

  it(`has the whole index after a restart, or none of it and builds it again, through ${KILLS} kills`, async function () {
    this.timeout(KILLS * 60_000 + 120_000);
    let { child, uri = '' } = await startProcess(folder);
    let client = await MongoClient.connect(uri);
    const rows = (): Collection<Row> => client.db('builds').collection<Row>('rows');
    const isThere = async (): Promise<boolean> =>
      (await rows().indexes()).some(({ name }) => name === INDEX.name);
    /** The index, its entries and reads through it agree with the documents. */
    const checkWhole = async (): Promise<void> => {
      expect(await client.db('builds').command({ validate: 'rows' })).to.include({ valid: true });
      const filter = { n: { $gte: 0 } };
      expect(JSON.stringify(await rows().find(filter).hint(INDEX.name).explain())).to.include('IXSCAN');
      const count = (hint: string) => rows().countDocuments(filter, { hint });
      expect([await count(INDEX.name), await count('_id_')]).to.deep.equal([MANY, MANY]);
    };
    await rows().insertMany(
      Array.from({ length: MANY }, (_, i) => ({ _id: i, n: i * 3, tags: [i % 3, 'x'] })),
    );
    /** Milliseconds. */
    const build = async (): Promise<number> => {
      const began = performance.now();
      await rows().createIndexes([INDEX]);
      return performance.now() - began;
    };
    let whole = await build();
    await checkWhole();
    let halves = 0;
    // However fast a build is, one of them is killed before its end.
    for (let kill = 0; kill < KILLS || halves === 0; kill++) {
      // A server that answers nothing else while it builds never shows the build: those after the first few are killed unseen.
      const unseen = kill >= KILLS;
      await rows().dropIndex(INDEX.name);
      let isOver = false;
      const building = rows()
        .createIndexes([INDEX])
        .then(
          () => true,
          () => false,
        )
        .finally(() => {
          isOver = true;
        });
      const isSeen = async (): Promise<boolean> => {
        const { inprog } = await client.db('admin').command({ currentOp: 1 });
        return inprog.some(({ command }: Document) => command.createIndexes === 'rows');
      };
      await until(
        async () => unseen || (await isSeen()) || isOver,
        () => 'no build',
        { every: 0 },
      );
      // The first of each few as soon as the build is seen, the last when it should just be complete.
      await sleep(unseen ? whole * Math.random() : (whole * kill) / (KILLS - 1));
      await endProcess(child, 'SIGKILL');
      const wasTold = await building;
      // Not awaited: if it writes to a socket that is being closed, the driver waits for ever (docs/driver-closed-sockets.md).
      client.close().catch(() => undefined);
      ({ child, uri = '' } = await startProcess(folder));
      client = await MongoClient.connect(uri);
      const isBuilt = await isThere();
      if (wasTold) expect(isBuilt, 'an index that was acknowledged').to.equal(true);
      // Other clients' writes continue next to what is left of the build.
      await rows().updateOne({ _id: kill }, { $set: { n: (MANY + kill) * 3 } });
      if (!isBuilt) {
        halves += 1;
        whole = await build();
      }
      await checkWhole();
    }
    await client.close();
    await endProcess(child, 'SIGTERM');
  });
});
