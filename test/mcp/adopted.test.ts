/** Dry runs of writes to adopted collections. */
import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { Decimal128, EJSON, Int32, Long } from 'bson';
import { expect } from 'chai';
import { type AdoptedServer, SHOP, startAdopted } from '../adopt/shops.js';
import { at, connect, use } from './client.js';

const adopted = (name: string, drafts: boolean): object => ({
  kind: 'collectionType',
  info: { singularName: name, pluralName: `${name}s`, displayName: name },
  pluginOptions: {
    mangrove: {
      storage: {
        collection: `${name}s`,
        write: true,
        drafts,
        fields: { zip: 'address.zip', ...(drafts && { publishedAt: 'meta.live' }) },
      },
    },
  },
  attributes: {
    title: { type: 'string', required: true },
    rank: { type: 'integer' },
    price: { type: 'decimal' },
    zip: { type: 'string' },
    hidden: { type: 'string', private: true },
    parts: { type: 'component', component: 'page.part', repeatable: true },
  },
});

const FILES = {
  'page/schema.json': adopted('page', true),
  'stall/schema.json': adopted('stall', false),
  'components/page/part.json': {
    pluginOptions: { mangrove: { storage: {} } },
    attributes: { text: { type: 'string' } },
  },
};

const STORED = {
  _id: SHOP(1),
  title: 'One',
  rank: new Int32(1),
  price: Decimal128.fromString('12.50'),
  visits: Long.fromNumber(7),
  address: { zip: '10', city: 'Rome' },
  hidden: 'quiet',
  parts: [{ text: 'a' }, { text: 'b' }],
  meta: { live: new Date(1000) },
};

describe('dry runs in adopted collections', function () {
  this.timeout(180_000);
  let server: AdoptedServer;
  let client: Client;

  before(async () => {
    server = await startAdopted(FILES, { pages: [STORED], stalls: [STORED] }, { server: { mcp: true } });
    const { key } = await server.project.access.tokens.create({ name: 'agent', type: 'full-access' });
    client = await connect(server.url, key);
  });
  after(async () => {
    await client.close();
    await server.close();
  });

  const content = async (): Promise<string> => {
    const { db } = server.project.store;
    const names = (await db.listCollections().toArray()).map(({ name }) => name).sort();
    const rows = await Promise.all(
      names.map((name) => db.collection(name).find().sort({ _id: 1 }).toArray()),
    );
    return EJSON.stringify(names.map((name, index) => [name, rows[index]]));
  };
  const dry = async (tool: string, args: object) => {
    const before = await content();
    const { body, isError } = await use(client, tool, { ...args, dryRun: true });
    expect(await content()).to.equal(before);
    expect(isError, JSON.stringify(body)).to.equal(false);
    expect(JSON.stringify(body)).to.not.include('quiet');
    return at(body, 'changes') as { differences: { path: string; before: unknown; after: unknown }[] }[];
  };

  const documentId = SHOP(1).toHexString();
  const data = { title: 'Two', rank: 2, zip: '20', parts: [{ text: 'c' }] };
  const DIFFERENCES = {
    title: ['One', 'Two'],
    rank: [1, 2],
    zip: ['10', '20'],
    'parts.0.text': ['a', 'c'],
    'parts.1.text': ['b', null],
  };
  for (const [type, version] of [
    ['api::stall.stall', 'published'],
    ['api::page.page', 'draft'],
  ] as const)
    it(`an update of ${type} names what would change in its ${version} document`, async () => {
      const [change, ...others] = await dry('update', { type, documentId, data });
      expect(others).to.deep.equal([]);
      expect(change).to.deep.include({ type, documentId, version, change: 'update' });
      const found = Object.fromEntries(
        (change?.differences ?? []).map((one) => [one.path, [one.before, one.after]]),
      );
      for (const time of ['updatedAt', 'publishedAt']) delete found[time];
      expect(found).to.deep.equal(DIFFERENCES);
    });

  it('creates and deletes are reported as such', async () => {
    const type = 'api::stall.stall';
    const [made] = await dry('create', { type, data: { title: 'New' } });
    expect(made).to.deep.include({ type, documentId: null, change: 'create' });
    const [gone] = await dry('delete', { type, documentId });
    expect(gone).to.deep.include({ type, documentId, change: 'delete' });
  });
});
