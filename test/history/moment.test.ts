/** `?at=`: a read of a moment in the past answers what it answered then. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { randomOf, SEED } from '../../packages/engine/test/support/random.js';
import { ApiError } from '../../src/errors.js';
import { rounds } from '../support/rounds.js';
import { send } from '../support/send.js';
import { startTestServer, type TestServer } from '../support/test-server.js';
import { writeFiles } from '../support/write-files.js';
import { ARTICLE, AUTHOR, FILES, HOME, PAGE } from './library.js';

const STEPS = rounds(25, 60);

/** Reads through every part of a plan: filters, sorts and populate through relations in both directions, totals. */
const READS = [
  'articles?sort=title',
  'articles?sort=views:desc&pagination[pageSize]=2&pagination[page]=2',
  'articles?status=draft&populate=*&sort=id',
  'articles?populate[author][populate][articles][fields]=title&populate[notes]=true',
  'articles?filters[author][name][$contains]=1&populate=author',
  'articles?filters[author][articles][title][$contains]=2',
  'articles?filters[$not][author][name][$contains]=1&status=draft',
  'articles?sort=author.name:desc,id',
  'articles?status=draft&sort=author.name,id&pagination[start]=1&pagination[limit]=3',
  'articles?_q=t1',
  'articles?filters[data][$contains]=1',
  'articles?status=draft&publicationFilter=modified',
  'articles?status=draft&publicationFilter=never-published',
  'articles?publicationFilter=published-with-draft&filters[title][$startsWith]=t',
  'authors?populate[articles][sort]=title&sort=name',
  'authors?populate[articles][count]=true',
  'authors?sort=articles.title,id',
  'authors?filters[articles][title][$contains]=1',
  'pages?locale=*&populate=localizations&sort=id',
  'pages?locale=fr&status=draft',
];

describe('history: ?at=', function () {
  this.timeout(300_000);
  let server: TestServer;
  let folder = '';
  let key: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'mangrove-history-'));
    await writeFiles(
      folder,
      Object.fromEntries(FILES.map((file) => [`content-types/${file.file}`, file.content])),
    );
    server = await startTestServer({}, { schemaFolder: folder });
    key = (await server.project.access.tokens.create({ name: 'all', type: 'full-access' })).key;
  });
  after(async () => {
    await server?.close();
    await rm(folder, { recursive: true, force: true });
  });

  const ask = (path: string) => send(server.url, `/api/${path}`, { token: key });

  it('answers what the same read answered at that time, whatever was written since', async () => {
    const { documents } = server.project;
    const random = randomOf(SEED);
    const articles: string[] = [];
    const authors: string[] = [];
    const pages: string[] = [];
    const status = () => random.pick(['draft', 'published'] as const);
    const data = () => ({
      title: `t${random.below(30)}`,
      views: random.below(9),
      data: { n: random.below(20) },
      ...(authors.length > 0 && { author: random.pick(authors) }),
      notes: [{ text: `n${random.below(9)}` }],
    });
    const writes: readonly (() => Promise<unknown>)[] = [
      async () =>
        articles.push(
          String((await documents(ARTICLE).create({ data: data(), status: status() })).documentId),
        ),
      async () =>
        articles.push(
          String((await documents(ARTICLE).create({ data: data(), status: status() })).documentId),
        ),
      async () =>
        authors.push(
          String((await documents(AUTHOR).create({ data: { name: `a${random.below(30)}` } })).documentId),
        ),
      async () =>
        documents(ARTICLE).update({ documentId: random.pick(articles), data: data(), status: status() }),
      async () =>
        documents(ARTICLE).update({ documentId: random.pick(articles), data: data(), status: status() }),
      async () =>
        documents(AUTHOR).update({
          documentId: random.pick(authors),
          data: { name: `b${random.below(30)}` },
        }),
      async () =>
        documents(AUTHOR).update({
          documentId: random.pick(authors),
          data: { articles: { connect: [random.pick(articles)] } },
        }),
      async () => documents(ARTICLE).publish?.({ documentId: random.pick(articles) }),
      async () => documents(ARTICLE).unpublish?.({ documentId: random.pick(articles) }),
      async () => documents(ARTICLE).delete({ documentId: random.pick(articles) }),
      async () => {
        const { documentId } = await documents(PAGE).create({
          data: { title: 'p', shared: 1 },
          status: status(),
        });
        pages.push(String(documentId));
      },
      async () =>
        documents(PAGE).update({
          documentId: random.pick(pages),
          data: { title: `p${random.below(9)}`, shared: random.below(9) },
          locale: random.pick(['en', 'fr']),
          status: status(),
        }),
    ];
    const answers: { path: string; at: string; was: string }[] = [];
    const note = async (path: string, at: string): Promise<void> => {
      const { status, body } = await ask(path);
      expect(status, `${path}: ${JSON.stringify(body)}`).to.be.below(500);
      answers.push({ path, at, was: JSON.stringify(body) });
    };
    for (let step = 0; step < STEPS; step++) {
      await random
        .pick(writes)()
        .catch((error: unknown) => {
          // Nothing to pick from, or a target that is gone.
          if (!(error instanceof RangeError || error instanceof ApiError)) throw error;
        });
      await sleep(3);
      const at = new Date().toISOString();
      await sleep(3);
      for (const path of [
        random.pick(READS),
        random.pick(READS),
        `articles/${articles.at(-1) ?? 'none'}?populate=author`,
      ])
        await note(path, at);
    }
    for (const path of READS) await note(path, new Date().toISOString());
    await sleep(3);
    await documents(ARTICLE).create({ data: { title: 'last' }, status: 'published' });
    let differ = 0;
    for (const { path, at, was } of answers) {
      expect(JSON.stringify((await ask(`${path}&at=${at}`)).body), `${path} at ${at}`).to.equal(was);
      if (JSON.stringify((await ask(path)).body) !== was) differ += 1;
    }
    expect(differ, 'answers that have changed since').to.be.above(answers.length / 4);
  });

  it('shows types that keep no versions as they are now, and a single type as it was', async () => {
    const { documents } = server.project;
    const tag = String((await documents('api::tag.tag').create({ data: { name: 'old' } })).documentId);
    const { documentId } = await documents(ARTICLE).create({
      data: { title: 'tagged', tags: [tag] },
      status: 'published',
    });
    await documents(HOME).create({ data: { title: 'first' }, status: 'published' });
    await sleep(3);
    const at = new Date().toISOString();
    await sleep(3);
    await documents('api::tag.tag').update({ documentId: tag, data: { name: 'new' } });
    await documents(ARTICLE).delete({ documentId: String(documentId) });
    await documents(HOME).create({ data: { title: 'second' }, status: 'published' });
    expect((await ask(`articles/${documentId}`)).status).to.equal(404);
    const then = await ask(`articles/${documentId}?populate=tags&at=${at}`);
    expect([then.status, then.at('data.title'), then.at('data.tags.0.name')]).to.deep.equal([
      200,
      'tagged',
      'new',
    ]);
    expect((await ask(`home?at=${at}`)).at('data.title')).to.equal('first');
    expect((await ask('home')).at('data.title')).to.equal('second');
  });

  it('is refused where it means nothing', async () => {
    const tomorrow = new Date(Date.now() + 86_400_000).toISOString();
    const now = new Date().toISOString();
    for (const at of ['', 'yesterday', tomorrow, '2024-13-01', '1764190800', '2024'])
      expect((await ask(`articles?at=${at}`)).at('error.details.code'), at).to.equal('moment-invalid');
    expect((await ask(`articles?at[0]=${now}&at[1]=${now}`)).status).to.equal(400);
    expect((await ask(`articles?at[$lt]=${now}`)).status).to.equal(400);
    expect((await ask(`tags?at=${now}`)).body, 'ignored like any unknown parameter').to.deep.equal(
      (await ask('tags')).body,
    );
    const body = { data: { title: 'x' } };
    const written = await send(server.url, `/api/articles?at=${now}`, { token: key, body });
    expect([written.status, written.at('error.message')]).to.deep.equal([400, 'Invalid key at']);
  });
});
