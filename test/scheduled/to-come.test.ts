/** `status=scheduled&at=` shows what a plain read shows after the time, when what is scheduled has been carried out. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { randomOf, SEED } from '../../packages/engine/test/support/random.js';
import { until } from '../../packages/engine/test/support/until.js';
import { startScheduled } from '../../src/scheduled/run.js';
import { makeAccount } from '../support/accounts.js';
import { type Received, send } from '../support/send.js';
import { startTestServer, type TestServer } from '../support/test-server.js';
import { writeFiles } from '../support/write-files.js';
import { ARTICLE, AUTHOR, FILES, PAGE } from './library.js';
import { withTime } from './with-time.js';

const FIND = [ARTICLE, AUTHOR, PAGE].flatMap((uid) => [`${uid}.find`, `${uid}.findOne`]);
const LATER = [ARTICLE, PAGE].map((uid) => `${uid}.findScheduled`);
const few = ['find', 'findOne'].map((name) => ({
  action: `${ARTICLE}.${name}`,
  where: { views: { $lt: 5 } },
}));

/** With an order of their own: drafts and published entries have different ids. */
const QUERIES = [
  'articles?sort=title&populate=author',
  'articles?sort=title:desc&pagination[pageSize]=3&pagination[page]=2',
  'articles?sort=author.name,title&pagination[limit]=4',
  'articles?sort=views,title&filters[views][$gte]=3&filters[author][name][$startsWith]=a',
  'articles?_q=t1&sort=title&fields=title',
  'pages?sort=title&locale=fr',
  'pages?sort=title,locale&locale=*',
];

describe('reads of what will be', function () {
  this.timeout(180_000);
  let server: TestServer;
  let folder = '';
  const keys: Record<string, string> = {};
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'mangrove-to-come-'));
    await writeFiles(
      folder,
      Object.fromEntries(FILES.map((file) => [`content-types/${file.file}`, file.content])),
    );
    const roles = {
      public: [...FIND, ...LATER],
      reader: FIND,
      editor: [...FIND, ...LATER],
      few: [...few, ...LATER],
    };
    server = await startTestServer({ roles }, { schemaFolder: folder });
    for (const name of ['reader', 'editor', 'few'])
      keys[name] = (await makeAccount(server.project, name, name)).key;
  });
  after(async () => {
    await server?.close();
    await rm(folder, { recursive: true, force: true });
  });

  const ask = (path: string, as: string | null = 'editor'): Promise<Received> =>
    send(server.url, `/api/${path}`, as ? { token: keys[as] } : {});
  const then = (path: string, at: Date): string =>
    `${path}${path.includes('?') ? '&' : '?'}status=scheduled&at=${at.toISOString()}`;
  /** Without what an entry gets when it is published. */
  const essence = ({ body }: Received): unknown =>
    JSON.parse(
      JSON.stringify(body, (key, value: unknown) =>
        ['id', 'publishedAt', 'updatedAt'].includes(key) ? undefined : value,
      ),
    );

  it(`seed ${SEED}: compared with what it becomes`, async () => {
    const random = randomOf(SEED);
    const { documents } = server.project;
    const at = new Date(Date.now() + 3_600_000);
    const authors: string[] = [];
    for (const name of ['ann', 'bob', 'ada'])
      authors.push(
        String((await documents(AUTHOR).create({ data: { name }, status: 'published' })).documentId),
      );
    const schedule = async (uid: string, documentId: string, locale?: string): Promise<void> => {
      const given = { documentId, ...(locale && { locale }) };
      const time = () => new Date(at.getTime() - random.below(3) * 10);
      if (random.below(2) === 0) await documents(uid).publish?.({ ...given, publishAt: time() });
      if (random.below(3) === 0) await documents(uid).unpublish?.({ ...given, unpublishAt: time() });
      if (random.below(4) === 0)
        await documents(uid).publish?.({ ...given, publishAt: new Date(at.getTime() + 3_600_000) });
    };
    const ids: string[] = [];
    for (let number = 0; number < 16; number++) {
      const data = () => ({
        title: `t${random.below(9)} ${number}`,
        views: random.below(9),
        author: random.pick(authors),
      });
      const published = random.below(2) === 0 ? { status: 'published' } : {};
      const documentId = String((await documents(ARTICLE).create({ data: data(), ...published })).documentId);
      if (random.below(2) === 0) await documents(ARTICLE).update({ documentId, data: data() });
      await schedule(ARTICLE, documentId);
      ids.push(documentId);
    }
    for (let number = 0; number < 8; number++) {
      const made = await documents(PAGE).create({ data: { title: `en ${number}` }, status: 'published' });
      const documentId = String(made.documentId);
      await documents(PAGE).update({ documentId, locale: 'fr', data: { title: `fr ${number}` } });
      await documents(PAGE).update({ documentId, data: { title: `en ${number} later` } });
      await schedule(PAGE, documentId, random.pick(['en', 'fr']));
    }
    const queries = [...QUERIES, ...ids.map((id) => `articles/${id}?populate=author`)];
    const shown = new Map<string, unknown>();
    for (const query of queries) shown.set(query, essence(await ask(then(query, at))));
    const ruled = essence(await ask(then('articles?sort=title', at), 'few'));
    const now = essence(await ask('articles?sort=title'));

    const { store } = server.project;
    const db = withTime(store.db, at);
    const running = startScheduled({ documents, store: { db }, record: () => undefined }, { every: 20 });
    await until(
      async () =>
        (await server.project.store.db
          .collection('mangrove.scheduled')
          .countDocuments({ at: { $lte: at } })) === 0,
      () => 'waiting',
    );
    await running.stop(5000);
    for (const query of queries) expect(essence(await ask(query)), query).to.deep.equal(shown.get(query));
    expect(essence(await ask('articles?sort=title', 'few'))).to.deep.equal(ruled);
    expect(essence(await ask('articles?sort=title'))).to.not.deep.equal(now);
  });

  it('has a grant of its own, and is for who may read drafts', async () => {
    const at = new Date(Date.now() + 3_600_000);
    expect((await ask(then('articles', at))).status).to.equal(200);
    for (const as of ['reader', null]) {
      const asked = await ask(then('articles', at), as);
      expect(asked.status, String(as)).to.equal(403);
    }
  });

  it('refuses what it cannot show', async () => {
    const codeOf = async (path: string) => (await ask(path)).at('error.details.code');
    expect(await codeOf('articles?status=scheduled')).to.equal('schedule-time-invalid');
    expect(await codeOf('articles?status=scheduled&at=2001-01-01T00:00:00Z')).to.equal(
      'schedule-time-invalid',
    );
    const at = new Date(Date.now() + 3_600_000);
    expect((await ask(then('articles?publicationFilter=modified', at))).at('error.message')).to.equal(
      'Invalid key publicationFilter',
    );
  });

  it('is shown to scripts as well', async () => {
    const { documents } = server.project;
    const made = await documents(ARTICLE).create({ data: { title: 'of a script' } });
    const publishAt = new Date(Date.now() + 60_000);
    await documents(ARTICLE).publish?.({ documentId: String(made['documentId']), publishAt });
    const filters = { title: 'of a script' };
    const read = (at: Date) => documents(ARTICLE).findMany({ filters, status: 'scheduled', at });
    expect(await read(publishAt)).to.have.length(1);
    expect(await read(new Date(publishAt.getTime() - 1))).to.deep.equal([]);
    const count = await documents(ARTICLE).count({ filters, status: 'scheduled', at: publishAt });
    expect(count).to.equal(1);
  });
});
