import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { firstRun } from '../../src/serve/first-run.js';
import { type Serving, startServing } from '../../src/serve/index.js';

const ADDRESS = 'http://localhost:1337';
const urls = [...readFileSync('README.md', 'utf8').matchAll(/http:\/\/localhost:1337\/api\/[^\s>']+/g)].map(
  String,
);

/** `GET /api/…` in the pages, with the status if it is not 200. */
const examplesOf = (page: string): readonly (readonly [string, { url: string; status: number }])[] =>
  [...readFileSync(page, 'utf8').matchAll(/`GET (\/api\/[^`:]*(?::[a-z][^`]*)?)`(?: → (\d{3}))?/g)]
    .map(([, url = '', status]) => ({ url, status: Number(status ?? 200) }))
    .filter(({ url }) => !/\/:/.test(url))
    .map((example) => [page, example] as const);
const examples = ['docs/contract.md', 'docs/configuration.md', 'docs/deployment.md'].flatMap(examplesOf);

/** Every example works on the seeded demo. */
describe('README', () => {
  let folder: string;
  let serving: Serving;
  let token: string;

  before(async function () {
    this.timeout(180_000);
    folder = await mkdtemp(join(tmpdir(), 'mangrove-readme-'));
    const uri = process.env['MONGODB_URI'] || null;
    serving = await startServing({
      root: '.',
      env: {
        JWT_SECRET: 'of the readme, and long enough for it',
        API_TOKEN_SALT: 'of the readme, and long enough for it',
      },
      overrides: {
        database: {
          uri,
          name: `readme_${process.pid}_${Date.now().toString(36)}`,
          dataDir: join(folder, 'data'),
        },
        server: { port: 0, host: '127.0.0.1', publicDir: join(folder, 'public') },
        middlewares: { logger: { level: 'silent' } },
      },
      seed: 'scripts/seed.ts',
      print: (text) => {
        token = /^ {2}([0-9a-f]{256})$/m.exec(text)?.[1] ?? '';
      },
    });
  });
  after(async () => {
    if (process.env['MONGODB_URI']) await serving.project.store.db.dropDatabase();
    await serving.stop();
    await rm(folder, { recursive: true, force: true });
  });

  const get = async (url: string): Promise<{ data: { name?: string }[] }> => {
    const draft = url.includes('status=draft');
    const response = await fetch(url.replace(ADDRESS, `http://127.0.0.1:${serving.port}`), {
      headers: draft ? { authorization: `Bearer ${token}` } : {},
    });
    expect(response.status, await response.clone().text()).to.equal(200);
    return (await response.json()) as { data: { name?: string }[] };
  };

  it('has four URLs', () => {
    expect(urls).to.have.length(4);
  });
  for (const url of urls)
    it(`${url.slice(ADDRESS.length, ADDRESS.length + 60)}… returns entries`, async () => {
      const { data } = await get(url);
      expect(data).to.have.length.above(0);
      expect(JSON.stringify(data)).to.have.length.above(400);
    });

  it('shows an entry with drafts that is not public', async () => {
    const { data } = await get(`${ADDRESS}/api/restaurants?status=draft&sort=name`);
    expect(data.map(({ name }) => name)).to.include('Winter Kitchen');
    const published = await get(`${ADDRESS}/api/restaurants`);
    expect(published.data.map(({ name }) => name)).not.to.include('Winter Kitchen');
  });

  for (const [page, { url, status }] of examples)
    it(`${page}: ${url} → ${status}`, async () => {
      const response = await fetch(`http://127.0.0.1:${serving.port}${url}`);
      const text = await response.text();
      expect(response.status, text).to.equal(status);
      if (status !== 200) return;
      const { data } = JSON.parse(text) as { data: unknown };
      expect(JSON.stringify(data)).to.have.length.above(30);
    });

  it('has a script that does what it says', async () => {
    const [, code = ''] = /```ts\n([\s\S]*?)```/.exec(readFileSync('README.md', 'utf8')) ?? [];
    const AsyncFunction = (async () => undefined).constructor as new (
      ...text: readonly string[]
    ) => (connect: unknown) => Promise<void>;
    let closed = false;
    const close = async (): Promise<void> => {
      closed = true;
    };
    const script = new AsyncFunction('connect', code.replace("import { connect } from 'mangrove';", ''));
    await script(async () => ({ documents: serving.project.documents, close }));
    const { data } = await get(`${ADDRESS}/api/chefs?filters[name]=Orla Brennan`);
    expect(data).to.have.length(1);
    expect(closed).to.equal(true);
  });

  it('the whole demo is seeded, and a second start leaves it alone', async () => {
    expect(await firstRun(serving.project, 'scripts/seed.ts')).to.equal(false);
    const { documents } = serving.project;
    expect(await documents('api::restaurant.restaurant').count({})).to.equal(12);
    expect(await documents('api::article.article').count({ locale: '*' })).to.equal(13);
    expect(await documents('plugin::upload.file').count({})).to.equal(6);
  });
});
