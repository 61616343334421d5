/** Whatever is written, in whatever order: clients that apply the events have what a plain read answers. */
import { expect } from 'chai';
import { type Random, randomOf, SEED } from '../../packages/engine/test/support/random.js';
import { has } from '../support/engines/lacks.js';
import { rounds } from '../support/rounds.js';
import { send } from '../support/send.js';
import { startTestServer, type TestServer } from '../support/test-server.js';
import { type Followed, follow } from './client.js';

const [RESTAURANT, CATEGORY, ARTICLE] = [
  'api::restaurant.restaurant',
  'api::category.category',
  'api::article.article',
];

/** Sorts, pages, filters, relations, locales, versions and counts, each by a token of its own. */
const QUERIES = [
  '/restaurants?sort=rating:desc&pagination[pageSize]=4',
  '/restaurants?sort=rating&pagination[start]=2&pagination[limit]=3&pagination[withCount]=false',
  '/restaurants?status=draft&sort[0]=stars:desc&sort[1]=name&populate[categories][sort]=name',
  '/restaurants?filters[categories][color]=red&populate=*&sort=name',
  '/restaurants?sort=owner.name&populate[similar][fields]=name',
  '/categories?populate[restaurants][count]=true&sort=position:desc',
  '/categories?populate[children][populate]=restaurants&filters[parent][name][$null]=true',
  '/articles?locale=fr&populate=localizations',
  '/articles?locale=*&status=draft&populate[categories][fields]=name&sort=title',
  '/articles?publicationFilter=modified&status=draft',
  '/articles?filters[related][title][$contains]=1&populate=related',
];

interface World {
  readonly random: Random;
  readonly server: TestServer;
  /** The documentIds of each type. */
  readonly ids: Map<string, string[]>;
}

/** One write of any kind. Those that are refused change nothing. */
async function write({ random, server, ids }: World): Promise<void> {
  const uid = random.pick([RESTAURANT, RESTAURANT, CATEGORY, ARTICLE, ARTICLE]);
  const documents = server.project.documents(uid);
  const some = (of: string) => (ids.get(of) ?? []).filter(() => random.below(3) === 0);
  const known = ids.get(uid) ?? [];
  const locale = uid === ARTICLE ? random.pick(['en', 'fr', 'de']) : undefined;
  const data = {
    [RESTAURANT]: () => ({
      name: `R${random.below(30)}`,
      rating: random.below(8),
      stars: random.below(6),
      categories: some(CATEGORY),
      similar: some(RESTAURANT).slice(0, 3),
    }),
    [CATEGORY]: () => ({
      name: `C${random.below(100_000)}`,
      color: random.pick(['red', 'blue']),
      position: random.below(5),
      parent: some(CATEGORY)[0] ?? null,
    }),
    [ARTICLE]: () => ({
      title: `A${random.below(30)}`,
      views: random.below(9),
      categories: some(CATEGORY),
      related: some(ARTICLE).slice(0, 2),
    }),
  }[uid]?.() as object;
  if (known.length < 3 || random.below(4) === 0) {
    const made = await documents.create({ data }).catch(() => null);
    if (made) ids.set(uid, [...known, String(made['documentId'])]);
    return;
  }
  const documentId = random.pick(known);
  const about = { documentId, ...(locale && { locale }) };
  const publish = documents.publish ?? (() => documents.update({ ...about, data }));
  await random
    .pick<() => Promise<unknown>>([
      () => documents.update({ ...about, data }),
      () => documents.update({ ...about, data }),
      () => publish(about),
      () => publish(about),
      () => documents.unpublish?.(about) ?? Promise.resolve(),
      () => documents.discardDraft?.(about) ?? Promise.resolve(),
      () => {
        if (random.below(2) === 0) return documents.delete({ documentId, ...(locale && { locale: '*' }) });
        return locale ? documents.delete(about) : Promise.resolve();
      },
    ])()
    .catch(() => undefined);
}

describe('live lists of anything', () => {
  before(function () {
    if (!has('change streams in the order of commits')) this.skip();
  });
  let server: TestServer;
  const clients: (readonly [path: string, token: string, client: Followed])[] = [];
  after(async () => {
    for (const [, , client] of clients) client.close();
    await server?.close();
  });

  it('are what plain reads answer, after whatever was written', async function () {
    this.timeout(900_000);
    server = await startTestServer();
    const { access } = server.project;
    const { key: full } = await access.tokens.create({ name: 'full', type: 'full-access' });
    const { key: ruled } = await access.tokens.create({
      name: 'ruled',
      type: 'custom',
      permissions: [
        { action: `${RESTAURANT}.find`, where: { categories: { color: 'red' } } },
        { action: `${CATEGORY}.find`, where: { color: 'red' } },
        `${ARTICLE}.find`,
      ],
    });
    const world: World = { random: randomOf(SEED), server, ids: new Map() };
    for (let n = 0; n < 20; n++) await write(world);
    for (const query of QUERIES)
      for (const token of [full, ruled]) {
        const client = await follow(`${server.url}/api${query}`, { token });
        expect(client.status, query).to.equal((await send(server.url, `/api${query}`, { token })).status);
        if (client.status === 200) clients.push([`/api${query}`, token, client]);
      }
    expect(clients.length).to.be.above(QUERIES.length);
    const count = rounds(4, 8);
    for (let round = 0; round < count; round++) {
      for (let n = world.random.below(8); n >= 0; n--) await write(world);
      for (const [path, token, client] of clients) {
        const now = JSON.stringify((await send(server.url, path, { token })).body);
        await client
          .has((answer) => JSON.stringify(answer) === now)
          .catch((error: unknown) => {
            throw new Error(`${path} in round ${round}: ${String(error)}\nbut is ${now.slice(0, 2000)}`);
          });
      }
    }
    const names = new Set(clients.flatMap(([, , client]) => client.names));
    expect([...names]).to.include.members(['data', 'appear', 'update', 'disappear', 'move', 'meta', 'reset']);
  });
});
