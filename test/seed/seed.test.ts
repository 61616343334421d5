import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import type { SeedReport } from '../../src/seed/types.js';
import { firstRun } from '../../src/serve/first-run.js';
import { seedOf } from '../../src/serve/seed-of.js';
import { type ChangingProject, changingProject, type, using } from '../migrate/project.js';
import { mangrove } from '../support/run-command.js';
import { writeFiles } from '../support/write-files.js';

type Row = Record<string, unknown> & { documentId: string };

/** The output of the command with --json. */
interface Said extends Partial<SeedReport> {
  readonly status: number;
  readonly stderr: string;
}

/** One pixel. */
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
  'base64',
);
const ARTICLE = 'api::article.article';
const AUTHOR = 'api::author.author';
const own = { pluginOptions: { i18n: { localized: true } } };
const string = { type: 'string' };

const SCHEMAS = {
  ...type(
    'article',
    {
      title: { ...string, required: true, ...own },
      slug: { type: 'uid', targetField: 'title' },
      rating: { type: 'integer', max: 10 },
      day: { type: 'date' },
      moment: { type: 'datetime' },
      price: { type: 'decimal' },
      live: { type: 'boolean' },
      extra: { type: 'json' },
      cover: { type: 'media', multiple: false, allowedTypes: ['images'] },
      seo: { type: 'component', component: 'shared.seo' },
      blocks: { type: 'dynamiczone', components: ['shared.card'] },
      author: { type: 'relation', relation: 'manyToOne', target: AUTHOR, inversedBy: 'articles' },
      related: { type: 'relation', relation: 'manyToMany', target: ARTICLE },
    },
    { options: { draftAndPublish: true }, pluginOptions: { i18n: { localized: true } } },
  ),
  ...type('author', {
    name: { ...string, unique: true },
    email: { type: 'email' },
    articles: { type: 'relation', relation: 'oneToMany', target: ARTICLE, mappedBy: 'author' },
  }),
  ...type('note', { text: string }),
  'content-types/components/shared/seo.json': { attributes: { metaTitle: string, image: { type: 'media' } } },
  'content-types/components/shared/card.json': {
    attributes: { label: string, to: { type: 'relation', relation: 'oneToOne', target: ARTICLE } },
  },
};

describe('mangrove seed', function () {
  this.timeout(180_000);
  let opened: ChangingProject;
  beforeEach(async () => {
    opened = await changingProject(SCHEMAS);
  });
  afterEach(() => opened.close());

  const seed = async (...args: readonly string[]): Promise<Said> => {
    const paths = args.map((one) => (/\.(csv|json|ndjson)$/.test(one) ? join(opened.root, one) : one));
    const { status, stdout, stderr } = await opened.run('seed', ...paths, '--json');
    return { status, stderr, ...(JSON.parse(stdout) as SeedReport) };
  };
  const all = (uid: string, params: object = {}): Promise<Row[]> =>
    using(
      opened,
      async ({ documents }) => (await documents(uid).findMany({ sort: 'id', ...params })) as Row[],
    );

  it('all that is wrong with a row is listed', async () => {
    await opened.write({
      'articles.json': [
        {
          title: 'One',
          slug: 'one',
          author: 'Nobody',
          rating: 11,
          day: 'soon',
          moment: 'now',
          wrong: 1,
          also: 2,
          seo: { wrong: 3 },
        },
      ],
    });
    const { status, failed, problems } = await seed('articles.json');
    expect([status, failed]).to.eql([1, 1]);
    expect(problems?.map(({ message }) => message)).to.eql([
      'author: no api::author.author has name "Nobody"; Invalid key wrong; Invalid key also; Invalid key wrong at seo; rating must be less than or equal to 10; day: Invalid format, expected yyyy-MM-dd; moment: Invalid format, expected a timestamp or an ISO date',
    ]);
    expect(await all(ARTICLE, { status: 'draft' })).to.eql([]);
  });

  it('files that are not UTF-8, and two columns of one name, are refused; a byte order mark is not', async () => {
    const said = async (name: string, text: string, encoding: BufferEncoding = 'utf8') => {
      await writeFile(join(opened.root, name), text, encoding);
      const { status, stdout, stderr } = await opened.run('seed', join(opened.root, name));
      return [status, /is not UTF-8|two columns are named "title"/.exec(`${stdout}${stderr}`)?.[0]];
    };
    const row = JSON.stringify({ title: 'Café', slug: 'cafe' });
    for (const [name, text] of [
      ['articles.csv', 'title,slug\nCafé,cafe'],
      ['articles.json', `[${row}]`],
      ['articles.ndjson', row],
    ] as const) {
      expect(await said(name, text, 'latin1'), name).to.eql([1, 'is not UTF-8']);
      expect(await said(name, `\uFEFF${text}`), name).to.eql([0, undefined]);
    }
    expect(await said('articles.csv', 'title,slug,title\na,b,c')).to.eql([
      1,
      'two columns are named "title"',
    ]);
    const [one, ...others] = await all(ARTICLE, { status: 'draft' });
    expect([one?.['title'], others]).to.eql(['Café', []]);
  });

  it('mangrove check finds in seeds/ what the first start would refuse, and nothing else', async () => {
    const check = async (): Promise<readonly string[]> => {
      const { stdout, status } = await opened.run('check', '--json');
      const { ok, problems } = JSON.parse(stdout) as { ok: boolean; problems: string[] };
      expect([ok, status]).to.eql(problems.length === 0 ? [true, 0] : [false, 1]);
      return problems.map((problem) => problem.replace(/^.*?seeds\//, ''));
    };
    const authors = { author: [{ name: 'Ann', email: 'ann@example.org' }] };
    const articles = [
      'title,slug,seo.metaTitle,rating,author,related',
      'One,one,Meta,3,Ann,two|one',
      'Two,two,,,,one',
    ];
    await opened.write({
      'seeds/articles.csv': articles.join('\n'),
      'seeds/more.json': {
        ...authors,
        article: [
          { title: 'Three', slug: 'three', author: { email: 'ann@example.org' }, cover: 'pixel.png' },
        ],
      },
      'seeds/pixel.png': PNG,
    });
    expect(await check()).to.eql([]);
    await opened.write({
      'seeds/articles.csv': [...articles, 'Four,four,,eleven,Bo,one|none', ',five,,,,'].join('\n'),
      'seeds/more.json': {
        ...authors,
        article: [{ title: 'Three', slug: 'three', name: 1, cover: 'no.png' }],
      },
    });
    const found = await check();
    expect(found.map((problem) => problem.replace(/there is no file .*/, 'no file'))).to.eql([
      'articles.csv:4: author: no api::author.author has name "Bo"',
      'articles.csv:4: related: no api::article.article has slug "none"',
      'articles.csv:4: rating must be a `number` type, but the final value was: `NaN` (cast from the value `"eleven"`).',
      'articles.csv:5: title must be defined.',
      'more.json › article[0]: no file',
      'more.json › article[0]: Invalid key name',
    ]);
  });

  it('mangrove check says when a seed no longer fits the schema', async () => {
    await opened.write({ 'seeds/author.json': [{ name: 'Ann' }] });
    const before = await opened.run('check');
    expect(before.status, before.stderr).to.equal(0);
    const files: Readonly<Record<string, unknown>> = SCHEMAS;
    const author = files['content-types/author/schema.json'] as { attributes: Record<string, unknown> };
    const { name, ...others } = author.attributes;
    await opened.write(type('author', { ...others, label: name }));
    const after = await opened.run('check');
    expect(after.status).to.equal(1);
    expect(after.stderr).to.include('author.json › [0]: Invalid key name');
  });

  it('CSV, NDJSON and JSON: references by name in any order, components, zones, locales, drafts', async () => {
    await opened.write({
      'articles.csv':
        'title,slug,rating,price,live,extra,seo.metaTitle,author,related\n' +
        'One,one,3,1.50,yes,"{""a"": [1]}",Meta,Ann,two|three\n' +
        '"Two, and\nmore",two,,,,,,ann@example.org,\n',
      '2-articles.ndjson':
        '{"title":"Three","slug":"three","author":{"email":"bo@example.org"},"status":"draft"}\n\n' +
        '{"title":"Four","slug":"four","blocks":[{"__component":"shared.card","label":"x","to":"five"}],"localizations":{"fr":{"title":"Quatre"}}}\n',
      'data.json': {
        articles: [
          {
            title: 'Five',
            slug: 'five',
            related: { connect: ['one', { slug: 'four', position: { start: true } }] },
          },
          { title: 'Cinq', slug: 'five', locale: 'fr' },
        ],
        author: [
          { name: 'Ann', email: 'ann@example.org' },
          { name: 'Bo', email: 'bo@example.org' },
        ],
      },
    });
    const first = await seed('articles.csv', '--key', 'author=email');
    expect(first.status).to.equal(1);
    expect(first.problems?.map(({ place }) => place.replace(/^.*\//, ''))).to.eql([
      'articles.csv:2',
      'articles.csv:4',
    ]);
    expect(first.problems?.[0]?.message).to.equal(
      'author: no api::author.author has email "Ann"; related: no api::article.article has slug "three"',
    );
    await opened.write({
      'articles.csv': (await opened.read('articles.csv')).replace('Ann', 'ann@example.org'),
    });
    const { status, types, failed } = await seed(
      '2-articles.ndjson',
      'data.json',
      'articles.csv',
      '--key',
      'author=email',
    );
    expect([status, failed]).to.eql([0, 0]);
    expect(types).to.have.property(AUTHOR).that.eql({ created: 2, updated: 0 });

    const populate = {
      author: true,
      related: true,
      seo: true,
      blocks: { on: { 'shared.card': { populate: 'to' } } },
    };
    const rows = await all(ARTICLE, { populate, locale: 'en' });
    const bySlug = Object.fromEntries(rows.map((row) => [row['slug'], row]));
    expect(Object.keys(bySlug).sort()).to.eql(['five', 'four', 'one', 'three', 'two']);
    expect(bySlug['one']).to.deep.include({ rating: 3, price: 1.5, live: true, extra: { a: [1] } });
    expect(bySlug['one']?.['seo']).to.include({ metaTitle: 'Meta' });
    expect(bySlug['one']?.['author']).to.include({ name: 'Ann' });
    const related = (slug: string): unknown[] =>
      ((bySlug[slug]?.['related'] ?? []) as Row[]).map((row) => row['slug']);
    expect(related('one')).to.eql(['two', 'three']);
    expect(related('five')).to.eql(['four', 'one']);
    expect(bySlug['two']?.['title']).to.equal('Two, and\nmore');
    expect(bySlug['four']?.['blocks']).to.have.nested.property('[0].to.slug', 'five');
    expect((await all(ARTICLE, { locale: 'fr' })).map(({ title }) => title).sort()).to.eql([
      'Cinq',
      'Quatre',
    ]);
    const live = await all(ARTICLE, { status: 'published', locale: 'en' });
    expect(live.map(({ slug }) => slug).sort()).to.eql(['five', 'four', 'one', 'two']);
    const [ann] = await all(AUTHOR, { populate: 'articles', filters: { name: 'Ann' } });
    expect(ann?.['articles']).to.have.length(2);
  });

  it('a second run updates entries by their key, and rows without one by their position', async () => {
    await opened.write({
      'articles.json': [{ title: 'One', slug: 'one' }],
      'notes.ndjson': '{"text":"a"}\n{"text":"b"}\n',
    });
    await seed('articles.json', 'notes.ndjson');
    const before = await all(ARTICLE);
    await opened.write({
      'articles.json': [
        { title: 'Uno', slug: 'one' },
        { title: 'Two', slug: 'two' },
      ],
    });
    const { types } = await seed('articles.json', 'notes.ndjson');
    expect(types).to.eql({
      [ARTICLE]: { created: 1, updated: 1 },
      'api::note.note': { created: 0, updated: 2 },
    });
    const after = await all(ARTICLE);
    expect(after.map(({ title }) => title)).to.eql(['Uno', 'Two']);
    expect(after[0]?.documentId).to.equal(before[0]?.documentId);
    expect(await all('api::note.note')).to.have.length(2);
  });

  it('rows that cannot be stored are reported by line, and the others are stored; --dry-run reports the same and writes nothing', async () => {
    const lines = Array.from({ length: 30 }, (_, at) => ({ title: `T${at}`, slug: `t${at}`, rating: at }));
    await opened.write({
      'articles.ndjson': [
        ...lines.map((row) => JSON.stringify(row)),
        '{ broken',
        '{"title":"x","slug":"t1"}',
        '{"title":"x","slug":"x1","nope":1}',
        '{"title":"x","slug":"x2","author":"Nobody"}',
        '{"title":"x","slug":"x3","related":["t3","x4"]}',
        '{"title":"x","slug":"x4","cover":"pictures/none.png"}',
        '{"slug":"x5"}',
      ].join('\n'),
    });
    const lineOf = (report: Said): string[] =>
      (report.problems ?? [])
        .map(({ place }) => place.replace(/^.*:/, ''))
        .sort((a, b) => Number(a) - Number(b));
    const dry = await seed('articles.ndjson', '--dry-run');
    expect(dry.status).to.equal(1);
    expect(await all(ARTICLE)).to.have.length(0);
    expect(await opened.store.db.collection('mangrove.seeds').countDocuments()).to.equal(0);
    const real = await seed('articles.ndjson');
    const tooHigh = lines.flatMap(({ rating }, at) => (rating > 10 ? [String(at + 1)] : []));
    expect(lineOf(real)).to.eql([...tooHigh, '31', '32', '33', '34', '35', '36', '37']);
    expect(lineOf(dry)).to.eql(lineOf(real));
    const says = JSON.stringify(real.problems);
    for (const text of [
      'is also that of',
      'Invalid key nope',
      'no api::author.author has name \\"Nobody\\"',
      'there is no file',
    ])
      expect(says).to.include(text);
    expect((await all(ARTICLE, { status: 'published' })).map(({ rating }) => rating)).to.eql([
      ...Array(11).keys(),
    ]);
  });

  it('a dry run accepts references between its own rows', async () => {
    await opened.write({
      'articles.json': [
        { title: 'One', slug: 'one', related: ['two'] },
        { title: 'Two', slug: 'two', related: ['one'] },
      ],
    });
    const dry = await seed('articles.json', '--dry-run');
    expect([dry.status, dry.types], dry.stderr).to.eql([0, { [ARTICLE]: { created: 2, updated: 0 } }]);
  });

  it('a row with references that lead nowhere is stored as a draft without them, and each is named', async () => {
    await opened.write({
      'articles.ndjson': '{"title":"x","slug":"x","author":"Nobody","related":["gone","x","lost"]}',
    });
    const { status, failed, incomplete, types, problems } = await seed('articles.ndjson');
    expect([status, failed, incomplete, types?.[ARTICLE]]).to.eql([1, 0, 1, { created: 1, updated: 0 }]);
    expect((await all(ARTICLE, { status: 'draft' })).map(({ slug }) => slug)).to.eql(['x']);
    expect(await all(ARTICLE, { status: 'published' })).to.eql([]);
    expect(problems?.map(({ message }) => message)).to.eql([
      'author: no api::author.author has name "Nobody"; related: no api::article.article has slug "gone"; related: no api::article.article has slug "lost"',
    ]);
  });

  it('an interrupted run resumes where it stopped', async () => {
    const line = (at: number): string => `{"text":"${at}"}`;
    await opened.write({ 'notes.ndjson': Array.from({ length: 1200 }, (_, at) => line(at)).join('\n') });
    let stopped = false;
    await using(opened, async (project) => {
      const { seedFiles } = await import('../../src/seed/seed.js');
      let batches = 0;
      const documents = Object.assign((uid: string) => project.documents(uid), project.documents, {
        together: async (...call: Parameters<typeof project.documents.together>) => {
          if (++batches === 3) throw new Error('the power went');
          return project.documents.together(...call);
        },
      });
      await seedFiles({ ...project, documents }, [join(opened.root, 'notes.ndjson')]).catch(
        ({ message }: Error) => {
          expect(message).to.equal('the power went');
          stopped = true;
        },
      );
    });
    expect(stopped).to.equal(true);
    expect((await all('api::note.note', { limit: 5000 })).length).to.equal(1000);
    const { types, skipped } = await seed('notes.ndjson');
    expect(skipped).to.equal(1000);
    expect(types).to.eql({ 'api::note.note': { created: 200, updated: 0 } });
    const texts = (await all('api::note.note', { limit: 5000 })).map(({ text }) => Number(text));
    expect(texts.sort((a, b) => a - b)).to.eql(Array.from({ length: 1200 }, (_, at) => at));
    expect((await seed('notes.ndjson')).skipped).to.equal(0);
  });

  describe('files', () => {
    let server: Server;
    let url = '';
    before(async () => {
      server = createServer((request, response) => {
        const answers: Readonly<Record<string, () => void>> = {
          '/pixel.png': () => response.setHeader('content-type', 'image/png').end(PNG),
          '/moved': () => response.writeHead(302, { location: '/pixel.png' }).end(),
          '/away': () => response.writeHead(302, { location: 'file:///etc/passwd' }).end(),
          '/endless': () => {
            const more = setInterval(() => response.write(Buffer.alloc(65_536)), 1);
            response.once('close', () => clearInterval(more));
          },
        };
        (answers[request.url ?? ''] ?? (() => response.writeHead(404).end()))();
      }).listen(0, '127.0.0.1');
      await once(server, 'listening');
      url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    });
    after(() => {
      server.closeAllConnections();
      server.close();
    });

    it('by path and by URL, each stored once; files that are too large or not on http are refused', async () => {
      await opened.write({
        'config/plugins.json': {
          i18n: { config: { defaultLocale: 'en', locales: ['en', 'fr'] } },
          upload: { config: { sizeLimit: 1_000_000 } },
        },
        'articles.json': [
          { title: 'a', slug: 'a', cover: 'pixel.png' },
          {
            title: 'b',
            slug: 'b',
            cover: { path: 'pixel.png', alternativeText: 'A dot' },
            seo: { image: `${url}/moved` },
          },
          ...['away', 'endless', 'none'].map((name) => ({
            title: name,
            slug: name,
            cover: `${url}/${name}`,
          })),
          { title: 'f', slug: 'f', cover: 'file:///etc/passwd' },
        ],
      });
      await writeFile(join(opened.root, 'pixel.png'), PNG);
      const { problems, files } = await seed('articles.json');
      const says = JSON.stringify(problems);
      expect(problems).to.have.length(4);
      for (const text of [
        'file:///etc/passwd: only http and https',
        'more than 1000000 bytes',
        '/none answers 404',
      ])
        expect(says).to.include(text);
      expect(files).to.equal(2);
      const rows = await all(ARTICLE, { populate: { cover: true, seo: { populate: 'image' } } });
      expect(rows.map(({ cover }) => (cover as Row)['name'])).to.eql(['pixel.png', 'pixel.png']);
      expect(rows[1]?.['seo']).to.have.nested.property('image.name', 'moved');
      expect((await seed('articles.json')).files).to.equal(0);
    });
  });

  it('modules: rows by default, an async generator, or a custom function; the first start seeds from seeds/', async () => {
    await opened.write({
      'seeds/1-rows.mjs': "export default { author: [{ name: 'Ann' }] };",
      'seeds/2-each.mjs':
        "export default async function* () { for (const n of [1, 2]) yield { type: 'article', data: { title: 'T' + n, slug: 't' + n, author: 'Ann' } }; }",
      'seeds/3-own.mts':
        "type Tools = { documents: any }; export async function seed({ documents }: Tools) { await documents('api::note.note').create({ data: { text: 'own' } }); }",
    });
    await using(opened, async (project) => {
      const path = await seedOf(opened.root);
      if (path === null) throw new Error('no seed');
      expect(await firstRun(project, path)).to.equal(true);
      expect(await firstRun(project, path)).to.equal(true);
    });
    expect(await all(ARTICLE, { populate: 'author' })).to.have.length(2);
    expect(await all('api::note.note')).to.have.length(1);
  });

  it('a Strapi project has no seed: none of its code runs', async () => {
    const root = await mkdtemp(join(tmpdir(), 'mangrove-strapi-seed-'));
    try {
      await writeFiles(root, {
        'scripts/seed.js': 'throw 1;',
        'seeds/1.mjs': 'throw 1;',
        'package.json': {},
      });
      expect(await seedOf(root)).to.equal(join(root, 'scripts/seed.js'));
      await writeFiles(root, { 'package.json': { dependencies: { '@strapi/strapi': '5.0.0' } } });
      expect(await seedOf(root), 'a dependency on Strapi').to.equal(null);
      await writeFiles(root, { 'package.json': {}, 'src/api/note/content-types/note/schema.json': {} });
      expect(await seedOf(root), 'folders of Strapi').to.equal(null);
      await writeFiles(root, {
        'src/index.ts': "import { defineProject } from 'mangrove'; export default defineProject({});",
      });
      expect(await seedOf(root), 'code for Mangrove').to.equal(join(root, 'scripts/seed.js'));
    } finally {
      await rm(root, { recursive: true });
    }
  });

  it('incorrect usage: an unknown type, key and file extension are reported', async () => {
    await opened.write({ 'things.json': [{}], 'rows.txt': '', 'articles.json': [{ title: 'x' }] });
    const run = async (...args: readonly string[]): Promise<string> =>
      (await mangrove('--root', opened.root, 'seed', ...args)).stderr;
    expect(await run(join(opened.root, 'things.json'))).to.include('no content type is called things');
    expect(await run(join(opened.root, 'rows.txt'))).to.include('.json, .ndjson, .jsonl, .csv');
    expect(await run(join(opened.root, 'articles.json'), '--key', 'article=nope')).to.include(
      'has no attribute nope',
    );
    expect(await run(join(opened.root, 'none.json'))).to.include('there is no file');
  });
});
