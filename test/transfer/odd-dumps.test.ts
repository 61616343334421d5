/** Strapi 3 databases that other programs have damaged. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { openForeign } from '../../src/store/transfer/foreign.js';
import type { Report } from '../../src/transfer/import/report.js';
import { writeFiles } from '../../src/transfer/schemas/files.js';
import { planFiles } from '../../src/transfer/schemas/plan.js';
import { openStrapi3Source } from '../../src/transfer/strapi3/source.js';
import { importInto } from '../support/imported-server.js';
import { fill, library } from '../support/strapi3.js';
import { startTestServer, type TestServer } from '../support/test-server.js';

type Row = Readonly<Record<string, unknown>>;
type Collections = Readonly<Record<string, readonly Row[]>>;

describe('damaged databases of Strapi 3', function () {
  this.timeout(180_000);
  let scratch: TestServer;
  const name = `strapi3_odd_${process.pid}`;
  before(async () => {
    scratch = await startTestServer();
  });
  after(() => scratch?.close());
  afterEach(() => scratch?.project.store.client.db(name).dropDatabase());

  async function imported(
    collections: Collections,
    look: (server: TestServer) => Promise<void>,
  ): Promise<Report> {
    await fill(scratch.project.databaseUri, name, collections);
    const foreign = await openForeign(scratch.project.databaseUri, name);
    const source = await openStrapi3Source(foreign, { publicDir: null });
    const folder = await mkdtemp(join(tmpdir(), 'mangrove-odd-dumps-'));
    try {
      await writeFiles(folder, planFiles(await source.schemas()));
      const server = await startTestServer({ rest: { publicDrafts: true } }, { schemaFolder: folder });
      try {
        const report = await importInto(server, source, { verify: true });
        await look(server);
        return report;
      } finally {
        await server.close();
      }
    } finally {
      await source.close();
      await rm(folder, { recursive: true, force: true });
    }
  }

  it('have ids that became strings followed like others', async () => {
    const content = library('');
    const writers = (content['writers'] ?? []).map((row) => ({ ...row, _id: String(row['_id']) }));
    await imported({ ...content, writers }, async ({ project }) => {
      const [book] = await project
        .documents('api::book.book')
        .findMany({ filters: { title: 'First' }, populate: { writer: true } });
      expect(book).to.have.nested.property('writer.name', 'Ann');
    });
  });
});
