/** Collections of every kind: each is served, or left out for a reason given in one sentence. */
import { type Document, Long, ObjectId } from 'bson';
import { expect } from 'chai';
import { propose } from '../../src/adopt/propose.js';
import type { CollectionFacts } from '../../src/store/adopted/inspect.js';
import { factsFrom } from '../../src/store/adopted/inspect.js';
import { type AdoptedServer, SHOP, startAdopted } from './shops.js';

const type = (name: string, attributes: object, storage: object = {}): object => ({
  kind: 'collectionType',
  info: { singularName: name, pluralName: `${name}s`, displayName: name },
  pluginOptions: { mangrove: { storage: { collection: `${name}s`, ...storage } } },
  attributes,
});

/** As returned by `listCollections` of MongoDB 7.0 and `collStats` of a mongos. */
const LISTED: Readonly<Record<string, { info: Document; sharded?: boolean; note: string | null }>> = {
  plain: { info: { name: 'plain', type: 'collection', options: {} }, note: null },
  readings: {
    info: {
      name: 'readings',
      type: 'timeseries',
      options: { timeseries: { timeField: 'at', metaField: 'sensor', granularity: 'seconds' } },
    },
    note: 'it is a time series: it can be read, but not written by documentId',
  },
  ring: {
    info: { name: 'ring', type: 'collection', options: { capped: true, size: 4096 } },
    note: 'it is capped: old documents are removed automatically, and documents cannot change size',
  },
  wide: {
    info: { name: 'wide', type: 'collection', options: {} },
    sharded: true,
    note: 'it is sharded: relations to it require MongoDB 5.1',
  },
  shown: {
    info: { name: 'shown', type: 'view', options: { viewOn: 'plain', pipeline: [] }, idIndex: undefined },
    note: 'it is a view: it can be read, and has no indexes',
  },
};

describe('collections of every kind', () => {
  for (const [name, { info, sharded = false, note }] of Object.entries(LISTED))
    it(`proposes a type for ${name}, with a note on its limits`, async () => {
      const facts: CollectionFacts = factsFrom(info, { count: 2, indexes: [], sharded });
      async function* documents(): AsyncGenerator<Document> {
        yield { _id: new ObjectId(), at: new Date(), sensor: { no: 1 }, value: 1.5 };
        yield { _id: new ObjectId(), at: new Date(), sensor: { no: 2 }, value: 2.5 };
      }
      const { types, refused } = await propose({
        inspector: {
          facts: async () => [facts],
          sample: () => ({ whole: true, documents: documents() }),
          probe: async () => null,
        },
        database: null,
        collections: [],
        takenNames: new Set(),
        known: new Map(),
        own: new Set(),
      });
      expect(refused).to.deep.equal([]);
      expect(types.map(({ notes }) => notes)).to.deep.equal([note === null ? [] : [note]]);
      expect(types[0]?.schema['attributes']).to.have.keys('at', 'sensor', 'value');
    });

  describe('on a server', () => {
    let server: AdoptedServer;
    const LARGE = 15 * 1024 * 1024;
    before(async function () {
      this.timeout(180_000);
      server = await startAdopted(
        {
          'ring/schema.json': type('ring', { n: { type: 'integer' } }, { write: true }),
          'view/schema.json': type('view', { n: { type: 'integer' } }, { write: true }),
          'large/schema.json': type(
            'large',
            { name: { type: 'string' }, body: { type: 'text' } },
            { write: true },
          ),
          'many/schema.json': type('many', { name: { type: 'string' }, all: { type: 'json' } }),
          'mixed/schema.json': type(
            'mixed',
            { city: { type: 'string' }, deep: { type: 'integer' } },
            { fields: { city: 'a.city', deep: 'a.b.c' } },
          ),
        },
        {},
      );
      const { db } = server.project.store;
      await db.collection('plain').insertMany([{ n: 1 }, { n: 2 }, { n: 3 }]);
      await db.createCollection('rings', { capped: true, size: 100_000 });
      await db.collection('rings').insertMany([1, 2, 3].map((n) => ({ _id: SHOP(n), n })));
      await db.createCollection('views', { viewOn: 'plain', pipeline: [{ $match: { n: { $gt: 1 } } }] });
      await db.collection('larges').insertOne({ _id: SHOP(1), name: 'big', body: 'x'.repeat(LARGE) });
      await db.collection('larges').insertOne({ _id: SHOP(2), name: 'small', body: 'x' });
      const keys = Object.fromEntries(Array.from({ length: 100_000 }, (_, n) => [`key${n}`, n]));
      await db.collection('manys').insertOne({ _id: SHOP(1), name: 'all', ...keys, all: keys });
      await db.collection('mixeds').insertMany([
        { _id: SHOP(1), a: { city: 'Rome', b: { c: 1 } } },
        { _id: SHOP(2), a: [{ city: 'Oslo', b: [{ c: 2 }, { c: 3 }] }, { city: 'Rome' }] },
        { _id: SHOP(3), a: 'Rome' },
        { _id: SHOP(4), a: [[{ city: 'Rome' }]] },
        { _id: SHOP(5), a: { city: ['Rome', 'Bern'], b: { c: Long.fromNumber(1) } } },
        { _id: SHOP(6), a: null },
      ]);
    });
    after(() => server?.close());

    const ids = async (query: string) => {
      const answer = await server.get(`/api/${query}`);
      expect(answer.status, `${query} ${JSON.stringify(answer.body).slice(0, 300)}`).to.equal(200);
      return (answer.at('data') as { id: string }[]).map(({ id }) => Number.parseInt(id, 16));
    };

    it('reads a capped collection, and explains why it cannot be written where it cannot', async () => {
      expect(await ids('rings?filters[n][$gt]=1&sort=n:desc')).to.deep.equal([3, 2]);
      const answer = await server.sent(`/api/rings/${SHOP(1).toHexString()}`, 'PUT', { n: 7 });
      expect([200, 400], JSON.stringify(answer.body)).to.include(answer.status);
    });

    it('reads a view, and explains why it cannot be written', async () => {
      const [info] = await server.project.store.db.listCollections({ name: 'views' }).toArray();
      // FerretDB turns it into a plain collection (docs/engines.md).
      if (info?.type !== 'view') return expect(info?.type).to.equal('collection');
      const answer = await server.get('/api/views?sort=n');
      expect(answer.at('data.0.n')).to.equal(2);
      const id = answer.at('data.0.id');
      for (const [path, method, data] of [
        [`/api/views/${id}`, 'PUT', { n: 7 }],
        ['/api/views', 'POST', { n: 7 }],
        [`/api/views/${id}`, 'DELETE', undefined],
      ] as const) {
        const refused = await server.sent(path, method, data);
        expect([refused.status, refused.at('error.details.code')], method).to.deep.equal([
          400,
          'write-refused',
        ]);
      }
    });

    it('reads documents of nearly 16 MB, and refuses one that would be larger', async () => {
      expect(await ids('larges?fields=name&sort=name')).to.deep.equal([1, 2]);
      expect(await ids('larges?fields=name&filters[body][$startsWith]=xx')).to.deep.equal([1]);
      const whole = await server.get(`/api/larges/${SHOP(1).toHexString()}`);
      expect([200, 400], JSON.stringify(whole.body).slice(0, 200)).to.include(whole.status);
      const { db } = server.project.store;
      await db.collection('larges').updateOne({ _id: SHOP(1) }, { $set: { more: 'x'.repeat(900_000) } });
      const over = await server.sent(`/api/larges/${SHOP(1).toHexString()}?fields=name`, 'PUT', {
        name: 'y'.repeat(255),
      });
      expect([200, 400], JSON.stringify(over.body).slice(0, 300)).to.include(over.status);
    });

    it('reads a document with 100,000 keys', async () => {
      expect(await ids('manys?fields=name')).to.deep.equal([1]);
      const answer = await server.get('/api/manys');
      expect(answer.status).to.equal(200);
      expect(Object.keys(answer.at('data.0.all') as object)).to.have.length(100_000);
    });

    it('reads paths that are arrays in some documents', async () => {
      expect(await ids('mixeds?filters[city]=Rome')).to.deep.equal([1, 2, 5]);
      expect(await ids('mixeds?filters[city][$contains]=ern')).to.deep.equal([5]);
      expect(await ids('mixeds?filters[deep][$gte]=2')).to.deep.equal([2]);
      expect(await ids('mixeds?filters[city][$null]=true')).to.include.members([3, 6]);
      for (const sort of ['city', 'city:desc', 'deep', 'deep:desc'])
        expect((await ids(`mixeds?sort=${sort}`)).sort()).to.deep.equal([1, 2, 3, 4, 5, 6]);
    });
  });
});
