/** Reads of adopted collections give the same response through bytes as through objects, whatever is stored. */
import { Binary, Decimal128, type Document, Double, Long, ObjectId, Timestamp } from 'bson';
import { expect } from 'chai';
import fc from 'fast-check';
import { MongoClient } from 'mongodb';
import { createReader } from '../../src/documents/read/create-reader.js';
import type { JsonOf, Reader, ReadRequest } from '../../src/documents/read/reader.js';
import type { SchemaFile } from '../../src/schema/files/read.js';
import { type TestStore, testStore } from '../support/engine.js';
import { readObjects } from '../support/read-objects.js';
import { everything, queryOf, readConfig } from '../support/reading.js';
import { rounds } from '../support/rounds.js';
import { type Attributes, componentFile, schemaOf, typeFile } from '../support/schemas.js';

const RUNS = rounds(3, 25, 'PROPERTY_RUNS');
const QUERIES = 8;

const kept = (storage: object): object => ({ pluginOptions: { mangrove: { storage } } });
const adopted = (name: string, storage: object, attributes: Attributes): SchemaFile =>
  typeFile(name, attributes, { file: { collectionName: `${name}s`, ...kept(storage) } });
const adoptedItem = (uid: string, storage: object, attributes: Attributes): SchemaFile => {
  const file = componentFile(uid, attributes);
  return { ...file, content: { ...Object(file.content), ...kept(storage) } };
};
const relation = (kind: string, target: string, more: object = {}): object => ({
  type: 'relation',
  relation: kind,
  target: `api::${target}.${target}`,
  ...more,
});

const schema = schemaOf(
  adoptedItem(
    'shop.item',
    { id: '_id', fields: { label: 'info.label', maker: 'maker_no' } },
    {
      label: { type: 'string' },
      price: { type: 'decimal' },
      maker: relation('oneToOne', 'person'),
      tag: relation('oneToOne', 'tag'),
      hours: { type: 'component', component: 'shop.hours' },
    },
  ),
  adoptedItem('shop.hours', {}, { opens: { type: 'string' }, days: { type: 'json' } }),
  componentFile('tag.line', {
    label: { type: 'string' },
    shop: relation('oneToOne', 'shop'),
    people: relation('oneToMany', 'person'),
  }),
  adopted(
    'shop',
    { id: 'any', fields: { city: 'place.city', owner: 'owner_no', hours: 'place.hours' }, lists: ['names'] },
    {
      name: { type: 'string' },
      names: { type: 'string' },
      visits: { type: 'biginteger' },
      price: { type: 'decimal' },
      opened: { type: 'datetime' },
      facts: { type: 'json' },
      city: { type: 'string' },
      secret: { type: 'string', private: true },
      owner: relation('manyToOne', 'person', { inversedBy: 'shops' }),
      staff: relation('manyToMany', 'person', { inversedBy: 'jobs' }),
      tag: relation('manyToOne', 'tag', { inversedBy: 'theirs' }),
      noted: relation('oneToMany', 'note', { mappedBy: 'shop' }),
      tags: relation('oneToMany', 'tag', { mappedBy: 'shop' }),
      cover: { type: 'media', multiple: false },
      items: { type: 'component', component: 'shop.item', repeatable: true },
      hours: { type: 'component', component: 'shop.hours' },
    },
  ),
  adopted(
    'person',
    { id: 'any', fields: { code: 'no.code' } },
    {
      name: { type: 'string' },
      code: { type: 'integer' },
      shops: relation('oneToMany', 'shop', { mappedBy: 'owner' }),
      jobs: relation('manyToMany', 'shop', { mappedBy: 'staff' }),
    },
  ),
  adopted(
    'note',
    { id: 'any', write: true, drafts: true, references: { author: 'name', authors: 'name' } },
    {
      name: { type: 'string' },
      shop: relation('manyToOne', 'shop', { inversedBy: 'noted' }),
      author: relation('manyToOne', 'person'),
      authors: relation('manyToMany', 'person'),
      next: relation('manyToMany', 'note'),
    },
  ),
  adopted('coin', { id: 'number' }, { name: { type: 'string' } }),
  adopted('leaf', {}, { name: { type: 'string' } }),
  typeFile('tag', {
    name: { type: 'string' },
    shop: relation('manyToOne', 'shop', { inversedBy: 'tags' }),
    shops: relation('manyToMany', 'shop'),
    theirs: relation('oneToMany', 'shop', { mappedBy: 'tag' }),
    notes: relation('oneToMany', 'note'),
    line: { type: 'component', component: 'tag.line' },
    lines: { type: 'component', component: 'tag.line', repeatable: true },
    zone: { type: 'dynamiczone', components: ['tag.line'] },
  }),
);
const NAMES = ['shop', 'person', 'note', 'tag'] as const;

type Generate = <T>(arbitrary: fc.Arbitrary<T>) => T;
const pick = <T>(one: Generate, ...values: T[]): T => one(fc.constantFrom(...values));
const chance = (one: Generate, of: number): boolean => one(fc.integer({ min: 1, max: of })) === 1;
const some = <T>(one: Generate, most: number, make: () => T): T[] =>
  Array.from({ length: one(fc.nat(most)) }, make);

/** A string that looks like an ObjectId, and is a different key. */
const OID = '0123456789abcdef01234567';
const KEYS: readonly unknown[] = [
  1,
  2,
  'a',
  'b',
  OID,
  new ObjectId('f123456789abcdef01234567'),
  new Double(2.5),
  new Timestamp({ t: 5, i: 6 }),
];
const ODD: readonly unknown[] = [
  null,
  0,
  -1,
  'x',
  '2020-01-31',
  '',
  true,
  new Double(1.5),
  new Double(Number.NaN),
  Long.fromString('9007199254740993'),
  Long.fromNumber(7),
  Decimal128.fromString('12.50'),
  Decimal128.fromString('-0.0'),
  Decimal128.fromString('1E+3'),
  Decimal128.fromString('0.1000000000000000055511151231257827'),
  new Date('2020-01-31T01:02:03.004Z'),
  new Date(-1),
  new ObjectId(OID),
  new Binary(Buffer.from('bytes')),
  [],
  [1, 'x', null, new ObjectId(OID)],
  [{ city: 'in a list', hours: { opens: '9' } }],
  { b: 1, a: [{ _id: 1, c: null }], 10: 'ten' },
  { $ref: 'people', $id: 1 },
];
const odd = (one: Generate): unknown => pick(one, ...ODD);
const usual = <T>(one: Generate, value: () => T): unknown => (chance(one, 5) ? odd(one) : value());
const key = (one: Generate): unknown => pick(one, ...KEYS);
const keys = (one: Generate): unknown => usual(one, () => some(one, 3, () => key(one)));

/** Some of the fields. */
const partly = (one: Generate, members: Document): Document =>
  Object.fromEntries(Object.entries(members).filter(() => !chance(one, 6)));

const hours = (one: Generate): unknown =>
  usual(one, () => partly(one, { opens: usual(one, () => '9'), days: odd(one), more: 1 }));
const item = (one: Generate): unknown =>
  usual(one, () =>
    partly(one, {
      _id: key(one),
      info: usual(one, () => ({ label: odd(one) })),
      price: odd(one),
      maker_no: usual(one, () => key(one)),
      tag: usual(one, () => pick(one, 'tag1', 'tag2', 'none')),
      hours: hours(one),
    }),
  );
const name = (one: Generate): unknown => usual(one, () => pick(one, 'a', 'b', 'B', 'ä'));

const DOCUMENTS: Readonly<Record<string, (one: Generate) => Document>> = {
  shops: (one) => ({
    name: name(one),
    names: usual(one, () => some(one, 2, () => odd(one))),
    visits: odd(one),
    price: odd(one),
    opened: odd(one),
    facts: odd(one),
    secret: 'nobody sees it',
    place: usual(one, () => partly(one, { city: odd(one), hours: hours(one) })),
    owner_no: usual(one, () => key(one)),
    staff: keys(one),
    tag: usual(one, () => pick(one, 'tag1', 'tag2', 'none')),
    cover: usual(one, () => pick(one, 'file1', 'none')),
    items: usual(one, () => some(one, 3, () => item(one))),
  }),
  persons: (one) => ({ name: name(one), no: usual(one, () => ({ code: odd(one) })) }),
  notes: (one) => ({
    name: name(one),
    shop: key(one),
    author: name(one),
    authors: [name(one), name(one)].flat(),
    next: keys(one),
  }),
};
const line = (one: Generate, id: number): Document => ({
  id,
  label: pick(one, 'a', 'b', null),
  shop: pick(one, null, key(one)),
  people: some(one, 2, () => key(one)),
});
const tag = (one: Generate, n: number): Document => ({
  id: n,
  documentId: `tag${n}`,
  locale: null,
  name: pick(one, 'a', 'b', null),
  shop: pick(one, null, key(one)),
  shops: some(one, 2, () => key(one)),
  notes: some(one, 2, () => key(one)),
  line: pick(one, null, line(one, 1)),
  lines: some(one, 2, () => line(one, 1)),
  zone: some(one, 2, () => ({ __component: 'tag.line', ...line(one, 1) })),
});

function content(one: Generate): ReadonlyMap<string, readonly Document[]> {
  const made = new Map<string, readonly Document[]>();
  const each = (document: (one: Generate) => Document): Document[] =>
    KEYS.filter(() => !chance(one, 4)).map((_id) => ({ _id, ...partly(one, document(one)) }));
  for (const [name, document] of Object.entries(DOCUMENTS)) made.set(name, each(document));
  made.set(
    'mangrove.drafts.note.note',
    each((by) => ({ ...DOCUMENTS['notes']?.(by), _draft: [] })),
  );
  made.set('tags', [tag(one, 1), tag(one, 2)]);
  return made;
}

const ORDERS = ['name', 'name:desc'];
const FILTERS: readonly Document[] = [{ name: { $in: ['a', 'b'] } }, { name: { $null: true } }];
const ITEM_FILTERS: Readonly<Record<string, readonly Document[]>> = {
  'shop.item': [{ label: 'x' }, { maker: { name: 'a' } }, { tag: { name: 'a' } }, { hours: { opens: '9' } }],
  'tag.line': [{ label: 'a' }, { shop: { name: 'a' } }, { people: { name: { $ne: 'a' } } }],
};
const ITEM_ORDERS: Readonly<Record<string, readonly string[]>> = {
  'shop.item': ['label', 'price:desc', 'maker.name', 'tag.name'],
  'tag.line': ['label', 'shop.name', 'people.name:desc'],
};

function populate(one: Generate, uid: string, depth: number): Document {
  const model = schema.contentTypes.get(uid) ?? schema.components.get(uid);
  const query: Document = {};
  for (const attribute of model?.attributes.values() ?? []) {
    if (attribute.kind === 'scalar' || attribute.system || chance(one, 3)) continue;
    const deeper = (of: string): Document =>
      depth > 0 && chance(one, 2) ? { populate: populate(one, of, depth - 1) } : {};
    if (attribute.kind === 'media') query[attribute.name] = true;
    else if (attribute.kind === 'zone') query[attribute.name] = { on: { 'tag.line': deeper('tag.line') } };
    else if (attribute.kind === 'component') {
      const { component } = attribute;
      const filters = ITEM_FILTERS[component];
      const orders = ITEM_ORDERS[component];
      query[attribute.name] = {
        ...deeper(component),
        ...(filters && chance(one, 3) && { filters: pick(one, ...filters) }),
        ...(orders && attribute.many && chance(one, 3) && { sort: [pick(one, ...orders)] }),
      };
    } else if (attribute.target !== null)
      query[attribute.name] = {
        ...(chance(one, 3) && { fields: ['name'] }),
        ...(chance(one, 3) && { filters: pick(one, ...FILTERS) }),
        ...(chance(one, 3) && { sort: [pick(one, ...ORDERS)] }),
        ...(chance(one, 6) ? { count: true } : deeper(attribute.target)),
      };
  }
  return query;
}

function question(one: Generate) {
  const of = pick(one, ...NAMES);
  const uid = `api::${of}.${of}`;
  const query = {
    status: pick(one, 'draft', 'published'),
    populate: populate(one, uid, 2),
    ...(chance(one, 3) && { filters: pick(one, ...FILTERS) }),
    ...(chance(one, 3) && { sort: [pick(one, ...ORDERS)] }),
  };
  return { uid, query, v4: chance(one, 4), documentId: pick(one, '1', 'a', OID, 'tag1') };
}

const library = fc.gen().map((g) => {
  const one: Generate = (arbitrary) => g(() => arbitrary);
  return { collections: content(one), queries: Array.from({ length: QUERIES }, () => question(one)) };
});

describe('adopted collections: reads as JSON', function () {
  this.timeout(180_000);
  let test: TestStore;
  let reader: Reader;
  before(async () => {
    test = await testStore();
    reader = createReader({ schema, store: test.store, config: readConfig() });
  });
  after(() => test.close());

  const attempt = (answer: Promise<string>): Promise<string> => answer.catch(String);
  const json = async (request: ReadRequest, of: JsonOf): Promise<string> =>
    `${(await reader.json(request, of)).json?.done()}`;

  it('produce the JSON of the model, whose rows are objects', () =>
    fc.assert(
      fc.asyncProperty(library, async ({ collections, queries: questions }) => {
        for (const [name, rows] of collections) {
          await test.store.db.collection(name).deleteMany({});
          if (rows.length > 0) await test.store.db.collection(name).insertMany([...rows]);
        }
        for (const { uid, query, v4, documentId } of questions) {
          const type = schema.contentTypes.get(uid);
          if (!type) throw new Error(uid);
          const request: ReadRequest = {
            type,
            query: { ...queryOf(query), mode: 'rest' },
            caller: everything,
            v4,
          };
          const model = { reader, store: test.store };
          const list = await attempt(
            readObjects(model, request, { target: 'list' }).then((data) => JSON.stringify(data)),
          );
          expect(await attempt(json(request, { target: 'list' }))).to.equal(list);
          expect(list).to.not.include('nobody sees it');
          const { filters: _, sort: __, ...rest } = query;
          const oneRequest: ReadRequest = { ...request, query: { ...queryOf(rest), mode: 'rest' } };
          const found = readObjects(model, oneRequest, { documentId }).then(([data]) =>
            String(JSON.stringify(data)),
          );
          expect(await attempt(json(oneRequest, { documentId }))).to.equal(await attempt(found));
        }
      }),
      { numRuns: RUNS, endOnFailure: true },
    ));

  it('give each of several requests that share a command the document that it finds alone', async () => {
    const { db } = test.store;
    const oid = new ObjectId(OID);
    const coins: readonly Document[] = [1, new Double(2.5), Decimal128.fromString('1E+2'), '1', 7].map(
      (_id) => ({
        _id,
        name: String(_id),
      }),
    );
    await db.collection('coins').insertMany([...coins]);
    await db.collection('leafs').insertMany([{ _id: oid, name: 'leaf' }]);
    const client = new MongoClient(test.uri, { monitorCommands: true });
    const monitored = createReader({
      schema,
      store: { ...test.store, client, db: client.db(test.name), lists: client.db(test.name) },
      config: readConfig(),
    });
    let commands = 0;
    client.on('commandStarted', ({ commandName }) => {
      if (commandName === 'aggregate') commands += 1;
    });
    const one = async (uid: string, documentId: string): Promise<string> => {
      const type = schema.contentTypes.get(uid);
      if (!type) throw new Error(uid);
      const request: ReadRequest = { type, query: { ...queryOf({}), mode: 'rest' }, caller: everything };
      return `${(await monitored.json(request, { documentId })).json?.done()}`;
    };
    const coin = (documentId: string): Promise<string> => one('api::coin.coin', documentId);
    const leaf = (documentId: string): Promise<string> => one('api::leaf.leaf', documentId);
    const names = ['1', '2.5', '7', '100', '1.0', 'x', '1', '8'];
    const leaves = [OID, OID.toUpperCase(), 'x', OID];
    const alone: string[] = [];
    for (const name of names) alone.push(await coin(name));
    for (const name of leaves) alone.push(await leaf(name));
    const all = (): Promise<string[]> => Promise.all([...names.map(coin), ...leaves.map(leaf)]);
    expect(await all()).to.deep.equal(alone);
    expect(alone.filter((json) => json !== 'undefined')).to.have.length(8);
    const found = ['1', '2.5', '7', '1'];
    await Promise.all(found.map(coin));
    commands = 0;
    await Promise.all(found.map(coin));
    expect(commands).to.equal(1);
    await client.close();
  });
});
