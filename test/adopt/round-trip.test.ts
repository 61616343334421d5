/**
 * What a response shows can be sent back: whatever BSON types are stored, the document keeps its bytes. A change of one
 * value leaves those beside it as they are stored.
 */
import {
  Binary,
  BSONRegExp,
  BSONSymbol,
  Code,
  Decimal128,
  type Document,
  Double,
  EJSON,
  Int32,
  Long,
  MaxKey,
  MinKey,
  ObjectId,
  Timestamp,
} from 'bson';
import { expect } from 'chai';
import { type Random, randomOf, SEED } from '../../packages/engine/test/support/random.js';
import { createApp } from '../../src/app.js';
import { listen } from '../../src/http/server.js';
import { rounds } from '../support/rounds.js';
import { type Received, send } from '../support/send.js';
import { type AdoptedServer, relation, SHOP, startAdopted } from './shops.js';

const TYPES = [
  ...['string', 'text', 'integer', 'biginteger', 'float', 'decimal', 'boolean', 'date', 'datetime', 'time'],
  ...['json', 'email'],
];
const LISTS = ['integers', 'strings', 'decimals'];
const scalars = Object.fromEntries(TYPES.map((type) => [type, { type }]));

const FILES = {
  'odd/schema.json': {
    kind: 'collectionType',
    info: { singularName: 'odd', pluralName: 'odds', displayName: 'Odd' },
    pluginOptions: {
      mangrove: {
        storage: { collection: 'odds', id: 'any', lists: LISTS, write: true, fields: { date: 'at.date' } },
      },
    },
    attributes: {
      ...scalars,
      integers: { type: 'integer' },
      strings: { type: 'string' },
      decimals: { type: 'decimal' },
      one: { type: 'component', component: 'odd.part' },
      many: { type: 'component', component: 'odd.part', repeatable: true },
      named: { type: 'component', component: 'odd.named', repeatable: true },
      all: relation('manyToMany', 'odd'),
      lead: relation('manyToOne', 'odd'),
    },
  },
  'components/odd/part.json': {
    pluginOptions: { mangrove: { storage: {} } },
    attributes: {
      text: { type: 'string' },
      n: { type: 'float' },
      any: { type: 'json' },
      hidden: { type: 'string', private: true },
      inner: { type: 'component', component: 'odd.named', repeatable: true },
      friend: relation('oneToOne', 'odd'),
      friends: relation('oneToMany', 'odd'),
    },
  },
  'components/odd/named.json': {
    pluginOptions: { mangrove: { storage: { id: 'key' } } },
    attributes: { amount: { type: 'decimal' }, any: { type: 'json' } },
  },
};

const LEAVES: readonly unknown[] = [
  ...[
    null,
    '',
    'a',
    '5',
    'ä',
    '2020-01-31',
    '2020-01-31T00:00:00.000Z',
    '08:30:00.000',
    'true',
    '{"a":1}',
    'a@b.cd',
  ],
  ...[0, -0, 1.5, Number.NaN, Number.POSITIVE_INFINITY, true, false, 1e300],
  ...[new Int32(5), new Double(5), Long.fromNumber(5), Long.MAX_VALUE, Long.MIN_VALUE],
  ...['1.50', '5', '1E+6000', 'NaN', '1.000000000000000000000000000000001'].map((text) =>
    Decimal128.fromString(text),
  ),
  ...[
    new Date(0),
    new Date(8.64e15),
    SHOP(1),
    new ObjectId('5a93fe4d6c57f1f6a9f2d0aa'),
    new BSONRegExp('^a', 'i'),
  ],
  ...[
    new Binary(Buffer.from('bytes'), 5),
    new Binary(Buffer.alloc(16, 7), 4),
    new Code('x'),
    new BSONSymbol('s'),
  ],
  ...[new Timestamp({ t: 1, i: 2 }), new MinKey(), new MaxKey(), { $ref: 'odds', $id: SHOP(1) }],
];

const anyValue = (random: Random, depth: number): unknown => {
  const kind = depth === 0 ? 9 : random.below(10);
  if (kind > 5) return random.pick(LEAVES);
  const size = random.below(4);
  const values = Array.from({ length: size }, () => anyValue(random, depth - 1));
  if (kind > 2) return values;
  return Object.fromEntries(values.map((value, at) => [['a', 'b c', 'constructor', 'z'][at], value]));
};

/** No such document. */
const NOBODY = SHOP(0xdead);

const anyPart = (random: Random): Document => ({
  theirs: random.pick(LEAVES),
  text: random.pick(LEAVES),
  n: random.pick([new Int32(5), new Double(5), Long.fromNumber(7), 'x', 1.5]),
  any: anyValue(random, 2),
  friend: random.pick([SHOP(1), SHOP(2), NOBODY, null]),
  friends: random.pick([[NOBODY, SHOP(1), NOBODY, SHOP(2)], [SHOP(2), SHOP(2)], SHOP(1), [], null]),
  hidden: 'secret',
  inner: Array.from({ length: random.below(3) }, (_, key) => ({
    key: random.pick([new Int32(key), `k${key}`]),
    amount: Decimal128.fromString('1.50'),
    any: anyValue(random, 1),
    theirs: new Date(0),
  })),
});

/** Mostly a list of documents; also what a component of another program may turn out to be, such as a DBRef. */
const anyParts = (random: Random): unknown => {
  const parts = Array.from({ length: random.below(4) }, () => anyPart(random));
  const odd = random.below(6);
  if (odd === 0) return parts[0] ?? null;
  if (odd === 1) return random.pick(LEAVES);
  return odd === 2 ? [...parts, random.pick(LEAVES), anyPart(random)] : parts;
};

/** Relations of a list where a single component is expected are those of all its members. */
const unlinked = (parts: unknown): unknown =>
  Array.isArray(parts)
    ? parts.map((part) => (part?.inner ? { ...part, friend: null, friends: null } : part))
    : parts;

const anyDocument = (random: Random, number: number): Document => ({
  _id: SHOP(number),
  at: { date: random.pick(LEAVES), theirs: new Int32(1) },
  ...Object.fromEntries(
    TYPES.filter((type) => type !== 'date').map((type) => [type, anyValue(random, type === 'json' ? 3 : 0)]),
  ),
  ...Object.fromEntries(
    LISTS.map((name) => [name, random.pick([anyValue(random, 1), [new Double(5), Long.ONE, 5]])]),
  ),
  one: random.below(2) === 0 ? unlinked(anyParts(random)) : anyPart(random),
  many: anyParts(random),
  named: [
    { key: 'k', amount: new Double(1.5), any: anyValue(random, 2), theirs: 1 },
    { key: new Int32(2), amount: Decimal128.fromString('2.00'), any: [] },
  ],
  all: random.pick([[SHOP(1), NOBODY, SHOP(2)], [SHOP(2), SHOP(1)], [NOBODY]]),
  lead: random.pick([SHOP(1), NOBODY, [SHOP(2), NOBODY]]),
});

const DOCUMENTS = rounds(3, 12);

describe('adopted collections: what is shown can be sent back', () => {
  const random = randomOf(SEED);
  const documents = Array.from({ length: DOCUMENTS }, (_, at) => anyDocument(random, at + 1));
  let server: AdoptedServer;
  let plain: Awaited<ReturnType<typeof listen>>;
  let token: string;

  before(async () => {
    server = await startAdopted(FILES, { odds: documents });
    // Odd values are not as described.
    plain = await listen(createApp({ ...server.project, ready: async () => true }), {
      host: '127.0.0.1',
      port: 0,
    });
    token = (await server.project.access.tokens.create({ name: 'odd', type: 'full-access' })).key;
  });
  after(async () => {
    await plain?.drain(1000);
    await server?.close();
  });

  const pathOf = (of: Document): string =>
    `/api/odds/${of['_id']}?populate[one][populate]=*&populate[many][populate]=*&populate[named]=true&populate[all]=true&populate[lead]=true`;
  const get = async (of: Document): Promise<Record<string, unknown>> =>
    (await send(`http://127.0.0.1:${plain.port}`, pathOf(of), { token })).at('data') as Record<
      string,
      unknown
    >;
  const put = (of: Document, data: object): Promise<Received> =>
    send(`http://127.0.0.1:${plain.port}`, pathOf(of), { token, method: 'PUT', body: { data } });
  const collection = () => server.project.store.db.collection('odds');
  const bytes = async (of: Document): Promise<string> => {
    const raw = await collection().findOne({ _id: of['_id'] }, { raw: true });
    return (raw as unknown as Buffer).toString('hex');
  };
  it('every attribute alone, and all of them at once', async () => {
    for (const of of documents) {
      const before = await bytes(of);
      const { id: _, documentId: __, ...shown } = await get(of);
      // A relation is written as the documentId of its target.
      const sent: Record<string, unknown> = JSON.parse(JSON.stringify(shown), (_key, value) =>
        value?.documentId === undefined ? value : value.documentId,
      );
      for (const [name, value] of [...Object.entries(sent), ['one', {}]] as const) {
        if (name === 'one' && (sent['one'] === null || Array.isArray(sent['one']))) continue;
        const answer = await put(of, { [name]: value });
        const what = `${name} ${JSON.stringify(value)} of ${EJSON.stringify(of[name])}`;
        expect(answer.status, `${JSON.stringify(answer.body)} for ${what}`).to.equal(200);
        expect(await bytes(of), what).to.equal(before);
      }
      expect((await put(of, sent)).status).to.equal(200);
      expect(await bytes(of)).to.equal(before);
    }
  });

  it('a changed relation keeps the references without a target, in their places', async () => {
    const [of] = documents;
    if (!of) throw new Error('no document');
    await collection().updateOne(
      { _id: of['_id'] },
      { $set: { all: [SHOP(1), NOBODY, SHOP(2), SHOP(3)], lead: NOBODY } },
    );
    expect((await put(of, { all: [String(SHOP(3)), String(SHOP(2))], lead: null })).status).to.equal(200);
    const found = await collection().findOne({ _id: of['_id'] });
    expect(found?.['all'].map(String)).to.deep.equal([SHOP(3), NOBODY, SHOP(2)].map(String));
    expect(String(found?.['lead'])).to.equal(String(NOBODY));
    expect((await put(of, { lead: String(SHOP(2)) })).status).to.equal(200);
    expect(String((await collection().findOne({ _id: of['_id'] }))?.['lead'])).to.equal(String(SHOP(2)));
  });

  it('a changed value of a JSON attribute leaves the others as stored', async () => {
    const ejson = (value: unknown): string => EJSON.stringify(value, { relaxed: false });
    for (const of of documents) {
      const stored = {
        keep: LEAVES,
        list: [new Double(1), SHOP(3), { x: new Double(2) }, 'y'],
        n: new Double(5),
        d: new Date(5),
      };
      await collection().updateOne({ _id: of['_id'] }, { $set: { json: stored } });
      const shown = (await get(of))['json'] as { list: unknown[] };
      const [one, shop, inner, text] = shown.list;
      const changed = {
        ...shown,
        n: 6,
        d: '2024-01-31T00:00:00.000Z',
        list: [text, 'new', shop, inner, one],
      };
      expect((await put(of, { json: changed })).status).to.equal(200);
      const found = await collection().findOne(
        { _id: of['_id'] },
        { promoteValues: false, bsonRegExp: true },
      );
      expect(ejson(found?.['json'].keep)).to.equal(ejson(LEAVES));
      expect(ejson(found?.['json'].list)).to.equal(
        ejson(['y', 'new', SHOP(3), { x: new Double(2) }, new Double(1)]),
      );
      expect(ejson([found?.['json'].n, found?.['json'].d])).to.equal(
        ejson([new Double(6), new Date('2024-01-31T00:00:00.000Z')]),
      );
      expect((await get(of))['json']).to.deep.equal(changed);
    }
  });

  it('a decimal is made from its digits', async () => {
    const [of] = documents;
    if (!of) throw new Error('no document');
    const digits = '2.000000000000000000000000000000001';
    expect((await put(of, { decimal: digits })).status).to.equal(200);
    const found = await collection().findOne({ _id: of['_id'] });
    expect(String(found?.['decimal'])).to.equal(digits);
  });
});
