import { expect } from 'chai';
import { Decimal128, Double, Int32, Long, ObjectId } from 'mongodb';
import { explainWrite } from '../../src/describe/explain-write.js';
import { existingType } from '../../src/schema/find.js';
import { adoptedDocuments } from '../../src/store/adopted/in-place.js';
import { collectionFacts } from '../../src/store/adopted/inspect.js';
import { WriteConflict } from '../../src/store/entries/apply-step.js';
import { settled } from '../support/engine.js';
import { everything } from '../support/reading.js';
import { type AdoptedServer, FILES, PEOPLE, relation, SHOP, startAdopted } from './shops.js';

type File = { pluginOptions: { mangrove: { storage: object } }; attributes: object };
const writable = (path: string, storage: object = {}, attributes: object = {}): Record<string, object> => {
  const file = FILES[path] as File;
  const own = { ...file.pluginOptions.mangrove.storage, write: true, ...storage };
  return {
    [path]: {
      ...file,
      pluginOptions: { mangrove: { storage: own } },
      attributes: { ...file.attributes, ...attributes },
    },
  };
};

const FILES_WRITTEN = {
  ...FILES,
  ...writable(
    'shop/schema.json',
    {},
    { lines: { type: 'component', component: 'shop.line', repeatable: true } },
  ),
  ...writable('person/schema.json', {
    timestamps: true,
    fields: { badge: 'card.no', createdAt: 'meta.made' },
  }),
  ...writable('visit/schema.json'),
  'components/shop/line.json': {
    info: { displayName: 'Line' },
    pluginOptions: { mangrove: { storage: { id: '_id', fields: { amount: 'qty.n', soldTo: 'to' } } } },
    attributes: {
      sku: { type: 'string' },
      amount: { type: 'integer' },
      soldTo: relation('oneToOne', 'person'),
    },
  },
};

const LINES = [new ObjectId(), new ObjectId()] as const;
const STORED = {
  _id: SHOP(1),
  name: 'Alpha',
  address: { 'zip code': '1', city: 'Rome', country: 'IT' },
  tags: ['a'],
  rating: new Double(5),
  stars: new Double(4),
  visits: Long.fromNumber(7),
  price: Decimal128.fromString('12.50'),
  odd: SHOP(9),
  items: [{ sku: 'a', qty: { n: 2 }, theirs: 1 }],
  lines: [
    { _id: LINES[0], sku: 'x', qty: { n: new Int32(1), unit: 'kg' }, theirs: true },
    { _id: LINES[1], sku: 'y', qty: { n: 2 } },
  ],
  owner_no: 1,
  crew: [2, 3],
  hours: null,
  __v: 3,
};

describe('adopted collections: writing', () => {
  let server: AdoptedServer;
  before(async () => {
    server = await startAdopted(FILES_WRITTEN, { people: PEOPLE });
    await server.project.store.db.collection('people').createIndex({ 'card.no': 1 }, { unique: true });
  });
  after(() => server?.close());

  const collection = (name: string) => server.project.store.db.collection(name);
  const stored = (name = 'shops', id: unknown = SHOP(1)) =>
    collection(name).findOne({ _id: id as never }, { promoteValues: false });
  beforeEach(async () => {
    await collection('shops').deleteMany({});
    await collection('shops').insertOne({ ...STORED } as never);
  });

  const id = SHOP(1).toHexString();
  const put = async (data: object, status = 200) => {
    const answer = await server.sent(`/api/shops/${id}?populate=*`, 'PUT', data);
    expect(answer.status, JSON.stringify(answer.body)).to.equal(status);
    return answer;
  };

  it('of two deletions of one document that were computed at the same time, one is refused', async () => {
    const { store, schema } = server.project;
    const { run } = adoptedDocuments(store);
    const deletion = { kind: 'delete', type: existingType(schema, 'api::shop.shop'), id: SHOP(1) } as const;
    await run(deletion);
    expect(await run(deletion).catch((error: unknown) => error)).to.be.instanceOf(WriteConflict);
  });

  it('changes only the named paths, in their stored types', async () => {
    const answer = await put({
      name: 'Omega',
      zip: '2',
      rating: 3,
      stars: 5,
      visits: '8',
      price: 9,
      tags: ['b', 'c'],
    });
    expect(answer.at('data.name')).to.equal('Omega');
    const after = await stored();
    expect(after).to.deep.equal({
      ...STORED,
      name: 'Omega',
      address: { 'zip code': '2', city: 'Rome', country: 'IT' },
      tags: ['b', 'c'],
      rating: new Double(3),
      stars: new Double(5),
      visits: Long.fromNumber(8),
      price: Decimal128.fromString('9'),
      items: [{ sku: 'a', qty: { n: new Int32(2) }, theirs: new Int32(1) }],
      lines: [STORED.lines[0], { ...STORED.lines[1], qty: { n: new Int32(2) } }],
      owner_no: new Int32(1),
      crew: [new Int32(2), new Int32(3)],
      __v: new Int32(3),
    });
  });

  it('explain --write prints the plan and the commands, and stores nothing', async () => {
    const { project } = server;
    const explain = (url: string, data: object) =>
      explainWrite(url, { data }, { ...project, caller: everything });
    const events = () => collection('mangrove.outbox').countDocuments();
    await settled(project.store);
    const before = await events();
    const changed = await explain(`/api/shops/${id}`, { name: 'Omega', zip: '2' });
    expect([changed.refused, changed.answer, changed.committedBy]).to.deep.equal([null, null, 'nothing']);
    expect(changed.versions[0]?.plan).to.have.nested.property('root.values.zip', '2');
    const [update, ...others] = changed.commands;
    expect(update).to.include('"shops"').and.include('updateOne').and.include('address.zip code');
    expect(others).to.have.length(1);
    expect(others[0]).to.include('mangrove.outbox');
    expect(changed.reads.join()).to.include(id);
    const made = await explain('/api/shops', { name: 'New' });
    expect(made.commands[0]).to.include('insertOne').and.include('New');
    expect(await stored()).to.have.property('name', 'Alpha');
    expect([await collection('shops').countDocuments(), await events()]).to.deep.equal([1, before]);
    const missing = await explain(`/api/shops/${SHOP(99).toHexString()}`, { name: 'x' });
    expect(missing.refused?.status).to.equal(404);
  });

  it('keeps what another program changes meanwhile in other fields', async () => {
    await Promise.all([
      put({ name: 'One' }),
      collection('shops').updateOne(
        { _id: SHOP(1) as never },
        { $set: { theirs: 'new', 'address.country': 'CH' } },
      ),
      put({ city: 'Oslo' }),
    ]);
    expect(await stored()).to.deep.include({
      name: 'One',
      theirs: 'new',
      address: { 'zip code': '1', city: 'Oslo', country: 'CH' },
    });
  });

  it('removes a field that is set to null', async () => {
    const answer = await put({ stars: null, owner: null, hours: null });
    expect(answer.at('data.stars')).to.equal(null);
    expect(await stored()).to.not.have.any.keys('stars', 'owner_no');
  });

  it('stores an empty list of values where there was none', async () => {
    const created = await server.sent('/api/shops', 'POST', { name: 'New', tags: [], rating: [], items: [] });
    expect(created.at('data')).to.deep.include({ tags: [], rating: [] });
    const id = new ObjectId(String(created.at('data.documentId')));
    expect(await stored('shops', id)).to.deep.equal({ _id: id, name: 'New', tags: [], rating: [] });
    await server.sent(`/api/shops/${id}`, 'PUT', { tags: null, odd: [], rating: [] });
    expect(await stored('shops', id)).to.deep.equal({ _id: id, name: 'New', rating: [], odd: [] });
  });

  it('leaves a null that is stored', async () => {
    await put({ hours: null });
    expect(await stored()).to.have.property('hours', null);
  });

  it('writes components by path, and items by their identity', async () => {
    await put({ hours: { from: 9 } });
    await put({ hours: { to: 17 } });
    expect((await stored())?.['hours']).to.deep.equal({ from: new Int32(9), to: new Int32(17) });
    const answer = await put({
      lines: [
        { id: String(LINES[1]), amount: 20 },
        { sku: 'z', soldTo: { connect: ['3'] } },
        { id: String(LINES[0]), sku: null },
      ],
    });
    const [second, made, first] = (await stored())?.['lines'] ?? [];
    expect(second).to.deep.equal({ _id: LINES[1], sku: 'y', qty: { n: new Int32(20) } });
    expect(first).to.deep.equal({ _id: LINES[0], qty: { n: new Int32(1), unit: 'kg' }, theirs: true });
    expect(made).to.deep.include({ sku: 'z', to: new Int32(3) });
    expect(made._id).to.be.instanceOf(ObjectId);
    expect(answer.at('data.lines.0.amount')).to.equal(20);
    const strange = await put({ lines: [{ id: 'nobody', sku: 'q' }] }, 400);
    expect(strange.at('error.message')).to.contain('not related to the entity');
    await put({ items: [{ sku: 'only', amount: 1 }] });
    expect((await stored())?.['items']).to.deep.equal([{ sku: 'only', qty: { n: new Int32(1) } }]);
  });

  it('writes references in their stored form, and refuses those stored on the other side', async () => {
    await put({ owner: '3', staff: { connect: ['1'], disconnect: ['2'] } });
    expect(await stored()).to.deep.include({ owner_no: new Int32(3), crew: [new Int32(3), new Int32(1)] });
    await put({ staff: { connect: [{ documentId: '2', position: { start: true } }] } });
    expect((await stored())?.['crew'].map(Number)).to.deep.equal([2, 3, 1]);
    const visit = await server.sent('/api/visits', 'POST', { year: 1999, person: '2', shop: id });
    expect(visit.status, JSON.stringify(visit.body)).to.equal(201);
    expect(await collection('visits').findOne({ year: 1999 })).to.deep.include({
      badge: 'B-2',
      shopId: SHOP(1),
    });
    expect((await put({ visitors: [visit.at('data.documentId')] }, 400)).at('error.message')).to.equal(
      'visitors is stored in api::visit.visit: write shop there',
    );
    expect((await put({ owner: '77' }, 400)).at('error.name')).to.equal('ValidationError');
  });

  it("creates documents with keys of the collection's type", async () => {
    const shop = await server.sent('/api/shops', 'POST', {
      name: 'New',
      city: 'Bonn',
      stars: 4,
      tags: ['t'],
      items: [{ sku: 'i', amount: 1 }],
      owner: '1',
    });
    expect(shop.status, JSON.stringify(shop.body)).to.equal(201);
    const made = await stored('shops', ObjectId.createFromHexString(String(shop.at('data.documentId'))));
    expect(made).to.deep.equal({
      _id: made?._id,
      name: 'New',
      address: { city: 'Bonn' },
      stars: new Double(4),
      tags: ['t'],
      items: [{ sku: 'i', qty: { n: new Int32(1) } }],
      owner_no: new Int32(1),
    });
    const people = await Promise.all(
      ['X', 'Y', 'Z'].map((badge) =>
        server.sent('/api/persons', 'POST', { name: badge, badge: `N-${badge}` }),
      ),
    );
    expect(people.map(({ status }) => status)).to.deep.equal([201, 201, 201]);
    expect(people.map((person) => person.at('data.id')).sort()).to.deep.equal(['4', '5', '6']);
    const person = await collection('people').findOne({ name: 'X' });
    expect(person?.['meta'].made).to.be.instanceOf(Date);
    expect(person?.['updatedAt']).to.be.instanceOf(Date);
  });

  it('deletes documents, and answers 404 for missing ones', async () => {
    expect((await server.sent(`/api/shops/${id}`, 'DELETE')).status).to.equal(204);
    expect(await stored()).to.equal(null);
    expect((await server.sent(`/api/shops/${id}`, 'PUT', { name: 'x' })).status).to.equal(404);
    expect((await server.sent(`/api/shops/${id}`, 'DELETE')).status).to.equal(204);
  });

  it('clones fields that the schema does not mention', async () => {
    const { entries } = await server.project
      .documents('api::shop.shop')
      .clone({ documentId: id, data: { name: 'Copy' } });
    expect(entries[0]?.['name']).to.equal('Copy');
    expect(await collection('shops').findOne({ name: 'Copy' })).to.deep.include({ odd: SHOP(9), __v: 3 });
  });

  it('gives a clone its own dates', async () => {
    const old = new Date('2001-02-03T04:05:06Z');
    const people = collection('people');
    await people.insertOne({ _id: 90 as never, name: 'Old', meta: { made: old }, updatedAt: old });
    await server.project
      .documents('api::person.person')
      .clone({ documentId: '90', data: { name: 'Twin', badge: 'T-1' } });
    const clone = await people.findOne({ name: 'Twin' });
    expect(clone?.['meta'].made).to.be.above(old);
    expect(clone?.['updatedAt']).to.be.above(old);
    expect(await people.findOne({ name: 'Old' })).to.deep.include({ meta: { made: old }, updatedAt: old });
    await people.deleteMany({ name: { $in: ['Old', 'Twin'] } });
  });

  it('names the attribute that violates a unique index of the collection', async () => {
    const answer = await server.sent('/api/persons', 'POST', { name: 'Twin', badge: 'A-1' });
    expect(answer.status, JSON.stringify(answer.body)).to.equal(400);
    expect(answer.at('error.message')).to.equal('This attribute must be unique');
    expect(answer.at('error.details.errors.0.path')).to.deep.equal(['badge']);
  });

  it("names the attribute that the collection's validator rejects", async () => {
    const { db } = server.project.store;
    await db.collection('people').drop();
    await db.createCollection('people', {
      validator: {
        $jsonSchema: {
          required: ['name'],
          properties: {
            name: { bsonType: 'string', maxLength: 5 },
            card: { bsonType: 'object', properties: { no: { pattern: '^[A-Z]-' } } },
          },
        },
      },
    });
    const [facts] = await collectionFacts(db, (name) => name === 'people');
    // FerretDB does not store validators (docs/engines.md).
    if (facts?.jsonSchema === null) return expect(server.project.store.engine.name).to.equal('ferretdb');
    const refused = async (data: object) => {
      const answer = await server.sent('/api/persons', 'POST', data);
      expect(answer.status, JSON.stringify(answer.body)).to.equal(400);
      return answer;
    };
    expect((await refused({ name: 'far too long' })).at('error.details.errors.0.path')).to.deep.equal([
      'name',
    ]);
    expect((await refused({ name: 'ok', badge: 'wrong' })).at('error.details.errors.0.path')).to.deep.equal([
      'badge',
    ]);
    const missing = await refused({ badge: 'A-9' });
    expect(missing.at('error.message')).to.equal('name must be given');
  });

  it('records its writes in the outbox', async () => {
    await put({ name: 'Noted' });
    await settled(server.project.store);
    const [last] = await collection('mangrove.outbox')
      .find({ uid: 'api::shop.shop' })
      .sort({ _id: -1 })
      .limit(1)
      .toArray();
    expect(last).to.deep.include({ event: 'entry.update', documentId: id, locale: null });
  });

  it('updates the only document of a single type, and creates it if it does not exist', async () => {
    const single = (storage: object): object => ({
      kind: 'singleType',
      info: { singularName: 'setting', pluralName: 'settings', displayName: 'Setting' },
      pluginOptions: {
        mangrove: {
          storage: {
            collection: 'settings',
            id: 'string',
            fields: { color: 'ui.color' },
            write: true,
            ...storage,
          },
        },
      },
      attributes: { name: { type: 'string' }, color: { type: 'string' } },
    });
    for (const storage of [{}, { drafts: true }]) {
      const own = await startAdopted({ 'setting/schema.json': single(storage) }, {});
      const settings = own.project.store.db.collection<{ _id: string }>('settings');
      try {
        expect((await own.get('/api/setting')).status).to.equal(404);
        const made = await Promise.all(['a', 'b'].map((name) => own.sent('/api/setting', 'PUT', { name })));
        expect(made.map(({ status }) => status)).to.deep.equal([200, 200]);
        expect(await settings.countDocuments()).to.equal(1);
        await settings.deleteMany({});
        await settings.insertMany([
          { _id: 'b' },
          { _id: 'a', ui: { color: 'red', font: 'x' }, theirs: 1 },
        ] as never);
        expect((await own.get('/api/setting')).at('data.color')).to.equal('red');
        const changed = await own.sent('/api/setting', 'PUT', { color: 'blue', name: 'n' });
        expect([changed.status, changed.at('data.color')]).to.deep.equal([200, 'blue']);
        expect(await settings.findOne({ _id: 'a' })).to.deep.equal({
          _id: 'a',
          ui: { color: 'blue', font: 'x' },
          theirs: 1,
          name: 'n',
        });
        expect((await own.sent('/api/setting', 'DELETE')).status).to.equal(204);
        expect((await settings.find().toArray()).map(({ _id }) => _id)).to.deep.equal(['b']);
      } finally {
        await own.close();
      }
    }
  });
});

describe('adopted collections: integers of other types', () => {
  const PARTS = {
    'part/schema.json': {
      kind: 'collectionType',
      info: { singularName: 'part', pluralName: 'parts', displayName: 'Part' },
      options: { draftAndPublish: false },
      pluginOptions: {
        mangrove: {
          storage: {
            collection: 'parts',
            write: true,
            lists: ['sizes'],
            integers: { count: 'double', total: 'long', sizes: 'double' },
          },
        },
      },
      attributes: Object.fromEntries(
        ['count', 'total', 'sizes', 'plain'].map((name) => [name, { type: 'integer' }]),
      ),
    },
  };

  it('are stored in new documents and fields as in the others', async () => {
    const server = await startAdopted(PARTS, { parts: [{ _id: SHOP(1), count: null, plain: 1.5 }] });
    try {
      const data = { count: 5, total: 6, sizes: [7], plain: 8 };
      expect((await server.sent('/api/parts', 'POST', data)).status).to.equal(201);
      expect((await server.sent(`/api/parts/${SHOP(1)}`, 'PUT', data)).status).to.equal(200);
      const collection = server.project.store.db.collection('parts');
      const [first, other] = await collection.find({}, { promoteValues: false }).toArray();
      const values = {
        count: new Double(5),
        total: Long.fromNumber(6),
        sizes: [new Double(7)],
        plain: new Int32(8),
      };
      expect(first).to.deep.include({ ...values, plain: new Double(8) });
      expect(other).to.deep.include(values);
    } finally {
      await server.close();
    }
  });
});
