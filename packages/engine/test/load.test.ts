import { openEngine, type TestEngine } from './support/engine.js';
import { check, nothingYet, prepare, work } from './workload.js';

const SECONDS = process.env['MANGROVE_SOAK'] ? 120 : 4;
const CONNECTIONS = 32;

describe('embedded engine: load', () => {
  let engine: TestEngine;
  before(async () => {
    engine = await openEngine();
    await prepare(engine.db);
  });
  after(() => engine.close());

  it(`agrees with its clients after ${SECONDS} s of ${CONNECTIONS} connections reading, writing and transferring`, async function () {
    this.timeout(SECONDS * 1000 + 60_000);
    const known = nothingYet();
    const end = Date.now() + SECONDS * 1000;
    await work(engine.uri, engine.db.databaseName, CONNECTIONS, known, () => Date.now() > end, false);
    await check(engine.db, known, true);
  });
});
