/** Collections as other programs leave them: several types in one field, different names, references by any field. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Binary, BSONRegExp, Decimal128, type Document, Long, ObjectId, Timestamp } from 'bson';
import { send } from '../support/send.js';
import { startTestServer, type TestServer } from '../support/test-server.js';

export const SHOP = (n: number): ObjectId => ObjectId.createFromHexString(n.toString(16).padStart(24, '0'));

const type = (name: string, storage: object, attributes: object, more: object = {}): object => ({
  kind: 'collectionType',
  collectionName: `${name}s`,
  info: { singularName: name, pluralName: `${name}s`, displayName: name },
  options: { draftAndPublish: false },
  pluginOptions: { mangrove: { storage } },
  attributes,
  ...more,
});

export const relation = (kind: string, target: string, more: object = {}): object => ({
  type: 'relation',
  relation: kind,
  target: `api::${target}.${target}`,
  ...more,
});

export const FILES: Readonly<Record<string, object>> = {
  'shop/schema.json': type(
    'shop',
    {
      fields: {
        zip: 'address.zip code',
        city: 'address.city',
        ownId: 'id',
        owner: 'owner_no',
        staff: 'crew',
      },
      lists: ['tags'],
    },
    {
      name: { type: 'string' },
      ownId: { type: 'integer' },
      zip: { type: 'string' },
      city: { type: 'string' },
      tags: { type: 'string' },
      rating: { type: 'json' },
      stars: { type: 'float' },
      opened: { type: 'datetime' },
      visits: { type: 'biginteger' },
      price: { type: 'decimal' },
      odd: { type: 'json' },
      secret: { type: 'string', private: true },
      items: { type: 'component', component: 'shop.item', repeatable: true },
      hours: { type: 'component', component: 'shop.hours' },
      owner: relation('manyToOne', 'person', { inversedBy: 'shops' }),
      staff: relation('manyToMany', 'person'),
      visitors: relation('oneToMany', 'visit', { mappedBy: 'shop' }),
      reviews: relation('oneToMany', 'review', { mappedBy: 'shop' }),
      cover: { type: 'media' },
    },
  ),
  'person/schema.json': type(
    'person',
    { collection: 'people', id: 'number', fields: { badge: 'card.no' } },
    {
      name: { type: 'string' },
      badge: { type: 'string', unique: true },
      shops: relation('oneToMany', 'shop', { mappedBy: 'owner' }),
      visits: relation('oneToMany', 'visit', { mappedBy: 'person' }),
    },
  ),
  'visit/schema.json': type(
    'visit',
    { id: 'any', fields: { person: 'badge', shop: 'shopId' }, references: { person: 'card.no' } },
    {
      year: { type: 'integer' },
      person: relation('manyToOne', 'person', { inversedBy: 'visits' }),
      shop: relation('manyToOne', 'shop', { inversedBy: 'visitors' }),
    },
  ),
  'review/schema.json': {
    ...type('review', {}, {}),
    pluginOptions: {},
    attributes: {
      text: { type: 'string' },
      shop: relation('manyToOne', 'shop', { inversedBy: 'reviews' }),
      also: relation('manyToMany', 'person'),
    },
  },
  'components/shop/item.json': {
    info: { displayName: 'Item' },
    pluginOptions: { mangrove: { storage: { fields: { amount: 'qty.n', soldTo: 'to' } } } },
    attributes: {
      sku: { type: 'string' },
      amount: { type: 'integer' },
      soldTo: relation('oneToOne', 'person'),
    },
  },
  'components/shop/hours.json': {
    info: { displayName: 'Hours' },
    pluginOptions: { mangrove: { storage: {} } },
    attributes: { from: { type: 'integer' }, to: { type: 'integer' } },
  },
};

export const UUID = '0b0e3a54-7d1c-4a2e-9f64-0a4f3c2b1d00';

export const SHOPS: readonly Document[] = [
  {
    _id: SHOP(1),
    id: 7,
    name: 'Alpha',
    address: { 'zip code': '55425', city: 'Rome' },
    tags: ['bar', 'music'],
    rating: 5,
    stars: 4.5,
    opened: new Date('2001-02-03T04:05:06.007Z'),
    visits: Long.fromString('9007199254740993'),
    price: Decimal128.fromString('12.50'),
    secret: 'hidden',
    items: [
      { sku: 'a', qty: { n: 2 }, to: 1 },
      { sku: 'b', qty: { n: 5 }, to: 2 },
    ],
    hours: { from: 9, to: 17 },
    owner_no: 1,
    crew: [2, 3],
    odd: SHOP(9),
    __v: 0,
  },
  {
    _id: SHOP(2),
    name: 'Beta',
    address: { 'zip code': 20619, city: 'Oslo' },
    tags: 'alone',
    rating: 'Not yet rated',
    stars: 'many',
    opened: '2001-02-03',
    visits: 12,
    price: 3,
    items: { sku: 'c', qty: { n: 1 }, to: 3 },
    hours: [
      { from: 1, to: 2 },
      { from: 3, to: 4 },
    ],
    owner_no: 2,
    crew: 1,
    odd: {
      bin: new Binary(Buffer.from('hello')),
      uuid: new Binary(Buffer.from(UUID.replaceAll('-', ''), 'hex'), 4),
      re: new BSONRegExp('(?i)a+', 'x'),
      ts: new Timestamp({ t: 5, i: 6 }),
      dec: Decimal128.fromString('0.1'),
      wide: Decimal128.fromString('1234567890.12345678901234567890'),
      long: Long.fromString('9223372036854775807'),
      nan: Number.NaN,
      at: [new Date(0), null],
    },
  },
  {
    _id: SHOP(3),
    name: 'Gamma',
    address: [{ city: 'Bonn' }, { city: 'Bern' }],
    tags: null,
    rating: null,
    stars: null,
    opened: new Date('2020-01-01T00:00:00.000Z'),
    items: ['what', null, 4, { sku: 'd' }],
    hours: 'always',
    owner_no: 99,
    crew: [],
    odd: [1, 'x', { y: 2 }],
  },
  { _id: SHOP(4), tags: ['a', 'b'], address: 'unknown', items: [], owner_no: [1, 2], name: ['two', 'names'] },
];

export const PEOPLE: readonly Document[] = [
  { _id: 1, name: 'Ada', card: { no: 'A-1' } },
  { _id: 2, name: 'Bob', card: { no: 'B-2' } },
  { _id: 3, name: 'Cyd', card: { no: 'C-3' } },
];

export const VISITS: readonly Document[] = [
  { _id: 'v1', year: 2001, badge: 'A-1', shopId: SHOP(1) },
  { _id: SHOP(77), year: 2002, badge: 'A-1', shopId: SHOP(2) },
  { _id: 3, year: 2003, badge: 'B-2', shopId: SHOP(1) },
  { _id: '3', year: 2004, badge: 'nobody', shopId: SHOP(88) },
  { _id: { a: 1, b: 'x' }, year: 2005, badge: null },
  { _id: new Timestamp({ t: 5, i: 6 }), year: 2006, badge: null },
];

export interface AdoptedServer extends TestServer {
  get(path: string): ReturnType<typeof send>;
  sent(path: string, method: string, data?: object): ReturnType<typeof send>;
}

/** Writes schema files into a folder of their own. */
export async function schemaFolder(files: Readonly<Record<string, object>>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'mangrove-adopt-'));
  for (const [path, content] of Object.entries(files)) {
    const file = join(folder, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, JSON.stringify(content));
  }
  return folder;
}

export async function startAdopted(
  files: Readonly<Record<string, object>>,
  collections: Readonly<Record<string, readonly Document[]>>,
  overrides: Parameters<typeof startTestServer>[0] = {},
): Promise<AdoptedServer> {
  const folder = await schemaFolder(files);
  const server = await startTestServer(overrides, { schemaFolder: folder });
  for (const [name, documents] of Object.entries(collections))
    await server.project.store.db.collection(name).insertMany(documents.map((document) => ({ ...document })));
  const { key } = await server.project.access.tokens.create({ name: 'all', type: 'full-access' });
  return {
    ...server,
    get: (path) => send(server.url, path, { token: key }),
    sent: (path, method, data) =>
      send(server.url, path, { token: key, method, ...(data && { body: { data } }) }),
    close: async () => {
      await server.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

export const startShops = (): Promise<AdoptedServer> =>
  startAdopted(FILES, { shops: SHOPS, people: PEOPLE, visits: VISITS });
