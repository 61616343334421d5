/** Keys of JSON that every JavaScript object inherits, such as `constructor`, are names like all others. */
import { expect } from 'chai';
import { type AdoptedServer, SHOP, startAdopted } from '../adopt/shops.js';

const info = (name: string): object => ({ singularName: name, pluralName: `${name}s`, displayName: name });

const FILES = {
  'page/schema.json': {
    kind: 'collectionType',
    collectionName: 'pages',
    info: info('page'),
    options: { draftAndPublish: true },
    attributes: { title: { type: 'string' }, any: { type: 'json' } },
  },
  'odd/schema.json': {
    kind: 'collectionType',
    info: info('odd'),
    pluginOptions: { mangrove: { storage: { collection: 'odds', id: 'any', write: true } } },
    attributes: { title: { type: 'string' }, any: { type: 'json' } },
  },
};

const NAMES = Object.getOwnPropertyNames(Object.prototype).filter((name) => name !== '__proto__');
const ANY = Object.fromEntries(NAMES.map((name) => [name, [{ a: 1 }, [{ b: 'x' }]]]));

describe('JSON with the names that every object inherits', () => {
  let server: AdoptedServer;
  before(async () => {
    server = await startAdopted(FILES, { odds: [{ _id: SHOP(1), any: { ...ANY, more: 1 } }] });
  });
  after(() => server?.close());

  it('is the same in a draft, when it is published, and after each change', async () => {
    const created = await server.sent('/api/pages?status=draft', 'POST', { title: 'a', any: ANY });
    expect(created.status).to.equal(201);
    const path = `/api/pages/${created.at('data.documentId')}`;
    expect((await server.sent(path, 'PUT', { title: 'b' })).status).to.equal(200);
    for (const status of ['draft', 'published'])
      expect((await server.get(`${path}?status=${status}`)).at('data.any'), status).to.deep.equal(ANY);
  });

  it('stays as it is stored in an adopted document', async () => {
    const path = `/api/odds/${SHOP(1)}`;
    expect((await server.sent(path, 'PUT', { any: { ...ANY, more: 2 } })).status).to.equal(200);
    expect((await server.get(path)).at('data.any')).to.deep.equal({ ...ANY, more: 2 });
    // Undecoded, it would differ from what is sent, and be written.
    const { db } = server.project.store;
    expect((await db.collection('odds').findOne())?.['any']).to.deep.equal({ ...ANY, more: 2 });
  });
});
