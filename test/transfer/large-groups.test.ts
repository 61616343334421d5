/** Groups of thousands of localizations, which no editor makes but a faulty script does. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ObjectId } from 'bson';
import { expect } from 'chai';
import { openForeign } from '../../src/store/transfer/foreign.js';
import type { Staged, Staging } from '../../src/store/transfer/staging.js';
import { assign } from '../../src/transfer/resolve/assign.js';
import { pair } from '../../src/transfer/resolve/pair.js';
import { stage } from '../../src/transfer/resolve/stage.js';
import { startRun } from '../../src/transfer/run/context.js';
import type { EntryRow } from '../../src/transfer/run/rows.js';
import { newState } from '../../src/transfer/run/state.js';
import { writeFiles } from '../../src/transfer/schemas/files.js';
import { planFiles } from '../../src/transfer/schemas/plan.js';
import { openStrapi3Source } from '../../src/transfer/strapi3/source.js';
import { IMPORT_ALL, targetOf } from '../support/imported-server.js';
import { fill, library } from '../support/strapi3.js';
import { startTestServer, type TestServer } from '../support/test-server.js';

/** The rows of a batch, which are far more in an import. */
const BATCH = 50;

type Post = Readonly<Record<string, unknown>>;

const idOf = (number: number): ObjectId => new ObjectId(number.toString(16).padStart(24, '0'));

describe('an import of a large group of localizations', function () {
  this.timeout(180_000);
  let scratch: TestServer;
  let folder: string;
  const name = `large_groups_${process.pid}`;
  before(async () => {
    scratch = await startTestServer();
    folder = await mkdtemp(join(tmpdir(), 'mangrove-large-groups-'));
  });
  after(async () => {
    await scratch?.project.store.client.db(name).dropDatabase();
    await scratch?.close();
    await rm(folder, { recursive: true, force: true });
  });

  /** The commands that placing these posts takes, and the documents in which they end up. */
  async function placed(
    posts: readonly Post[],
  ): Promise<{ readonly commands: number; readonly documentIds: readonly unknown[] }> {
    const { project } = scratch;
    await project.store.client.db(name).dropDatabase();
    await fill(project.databaseUri, name, { ...library(''), posts });
    const source = await openStrapi3Source(await openForeign(project.databaseUri, name), { publicDir: null });
    await writeFiles(folder, planFiles(await source.schemas()));
    const server = await startTestServer({}, { schemaFolder: folder });
    try {
      const run = startRun(source, targetOf(server), IMPORT_ALL, newState('', ''));
      await stage(run);
      const { staging } = run;
      let commands = 0;
      const counted: Staging = {
        ...staging,
        async *batches<T extends Staged>(name: string, order?: string) {
          for await (const batch of staging.batches<T>(name, order))
            for (let at = 0; at < batch.length; at += BATCH) yield batch.slice(at, at + BATCH);
        },
        find(...args) {
          commands += 1;
          return staging.find(...args);
        },
        add(...args) {
          commands += 1;
          return staging.add(...args);
        },
      };
      for (const step of [pair, assign]) {
        run.state.at = 0;
        await step({ ...run, staging: counted });
      }
      const keys = posts.map(({ _id }) => `api::post.post ${String(_id)}`);
      const rows = await staging.find<EntryRow>('rows', keys);
      return { commands, documentIds: keys.map((key) => rows.get(key)?.documentId) };
    } finally {
      await source.close();
      await server.close();
    }
  }

  /** The last one names all others, the last of them first. */
  const descending = (count: number, localeOf: (number: number) => string): readonly Post[] =>
    Array.from({ length: count }, (_, at) => ({
      _id: idOf(at + 1),
      title: 'One of many',
      locale: localeOf(at),
      localizations: at + 1 < count ? [] : Array.from({ length: at }, (_, back) => idOf(at - back)),
    }));

  it('takes far fewer commands than it has locales', async () => {
    const { commands, documentIds } = await placed(descending(400, (number) => `l-${number}`));
    expect(commands).to.be.below(200);
    expect(new Set(documentIds).size).to.equal(1);
  });

  it('takes far fewer commands than it has entries for one place, which get a document each', async () => {
    const { commands, documentIds } = await placed(descending(400, () => 'fr'));
    expect(commands).to.be.below(200);
    expect(new Set(documentIds).size).to.equal(400);
    expect((await placed(descending(400, () => 'fr'))).documentIds).to.eql(documentIds);
  });
});
