/** Whatever is stored and whatever is requested: never a 5xx. */
import {
  Binary,
  BSONRegExp,
  Code,
  Decimal128,
  type Document,
  Double,
  Int32,
  Long,
  MaxKey,
  MinKey,
  ObjectId,
  Timestamp,
} from 'bson';
import { expect } from 'chai';
import fc from 'fast-check';
import { createApp } from '../../src/app.js';
import { listen } from '../../src/http/server.js';
import { rounds } from '../support/rounds.js';
import { send } from '../support/send.js';
import { type AdoptedServer, relation, SHOP, startAdopted } from './shops.js';

const TYPES = [
  'string',
  'text',
  'integer',
  'biginteger',
  'float',
  'decimal',
  'boolean',
  'date',
  'datetime',
  'time',
  'json',
  'email',
] as const;
const scalars = Object.fromEntries([
  ...TYPES.map((type) => [type, { type }]),
  ['choice', { type: 'enumeration', enum: ['a', 'b'] }],
  ['list', { type: 'integer' }],
  ['words', { type: 'string' }],
]);
const FILES = {
  'odd/schema.json': {
    kind: 'collectionType',
    info: { singularName: 'odd', pluralName: 'odds', displayName: 'Odd' },
    pluginOptions: {
      mangrove: { storage: { collection: 'odds', id: 'any', lists: ['list', 'words'], texts: ['loose'] } },
    },
    attributes: {
      ...scalars,
      one: { type: 'component', component: 'odd.part' },
      many: { type: 'component', component: 'odd.part', repeatable: true },
      to: relation('manyToOne', 'odd', { inversedBy: 'from' }),
      from: relation('oneToMany', 'odd', { mappedBy: 'to' }),
      all: relation('manyToMany', 'odd'),
      loose: relation('manyToOne', 'odd'),
    },
  },
  'note/schema.json': {
    kind: 'collectionType',
    info: { singularName: 'note', pluralName: 'notes', displayName: 'Note' },
    attributes: { text: { type: 'string' }, odd: relation('manyToOne', 'odd') },
  },
  'components/odd/part.json': {
    pluginOptions: { mangrove: { storage: {} } },
    attributes: {
      text: { type: 'string' },
      n: { type: 'float' },
      any: { type: 'json' },
      of: relation('oneToOne', 'odd'),
    },
  },
};

const VALUES: readonly unknown[] = [
  ...[null, '', 'a', 'b', '5', '(', 'ä\u0000', '2020-01-31', '2020-01-31T00:00:00Z', 'true', '[1', '{"a":1}'],
  ...[0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 60, true, false],
  ...[
    new Int32(5),
    new Double(5),
    Long.MAX_VALUE,
    Decimal128.fromString('1E+6000'),
    Decimal128.fromString('NaN'),
  ],
  ...[new Date(0), new Date(8.64e15), new Date(Number.MAX_SAFE_INTEGER)],
  ...[SHOP(1), SHOP(1).toHexString(), new ObjectId(), new Binary(Buffer.from('x')), new BSONRegExp('(', 'i')],
  ...[new Code('x'), new Timestamp({ t: 1, i: 2 }), new MinKey(), new MaxKey()],
  ...[
    [],
    [1, 'a', null],
    [[1], [2]],
    {},
    { a: { b: 1 } },
    { text: 'x', n: 'y' },
    [{ text: 'x' }, 5],
    { $ref: 'x', $id: 1 },
  ],
];
const ASKED = [
  '',
  'a',
  '5',
  '-1.5',
  '1e400',
  'NaN',
  'null',
  'true',
  '(',
  '2020-01-31',
  '2020-01-31T00:00:00.000Z',
  '99999999999999999999',
  '[1',
  '{"a":1}',
  '$x',
  SHOP(1).toHexString(),
  'ä',
];
const OPERATORS = [
  'eq',
  'eqi',
  'ne',
  'nei',
  'in',
  'notIn',
  'lt',
  'lte',
  'gt',
  'gte',
  'between',
  'contains',
  'notContains',
  'containsi',
  'notContainsi',
  'startsWith',
  'startsWithi',
  'endsWith',
  'endsWithi',
  'null',
  'notNull',
] as const;

const OWN = [...TYPES, 'choice', 'list', 'words', 'id', 'documentId'];
const INNER = ['text', 'n', 'any'];
const PATHS: readonly (readonly string[])[] = [
  ...OWN.map((name) => [name]),
  ...['one', 'many'].flatMap((name) => INNER.map((inner) => [name, inner])),
  ...['to', 'from', 'all', 'loose'].flatMap((name) => OWN.map((inner) => [name, inner])),
  ...['one', 'many'].map((name) => [name, 'of', 'string']),
];

describe('unusual values in adopted collections', () => {
  let server: AdoptedServer;
  let plain: Awaited<ReturnType<typeof listen>>;
  let key: string;
  before(async function () {
    this.timeout(180_000);
    server = await startAdopted(FILES, { odds: documents() });
    // The queries are deliberately nonsensical, so responses are not compared with the OpenAPI description.
    const app = createApp({ ...server.project, ready: async () => true });
    plain = await listen(app, { host: '127.0.0.1', port: 0 });
    key = (await server.project.access.tokens.create({ name: 'odd', type: 'full-access' })).key;
    const note = server.project.documents('api::note.note');
    await note.create({ data: { text: 'n', odd: SHOP(1).toHexString() } });
  });
  after(async () => {
    await plain?.drain(1000);
    await server?.close();
  });

  function documents(): readonly Document[] {
    const names = [...TYPES, 'choice', 'list', 'words', 'one', 'many', 'to', 'all', 'loose'];
    return VALUES.map((value, n) => ({
      _id: SHOP(n + 1),
      ...Object.fromEntries(names.map((name, at) => [name, VALUES[(n + at * 7) % VALUES.length]])),
      text: value,
      string: value,
    }));
  }

  const condition = (path: readonly string[], operator: string, value: string): string => {
    const key = path.map((name) => `[${name}]`).join('');
    const text = encodeURIComponent(value);
    const list = operator === 'in' || operator === 'notIn' || operator === 'between';
    if (list) return `filters${key}[$${operator}][0]=${text}&filters${key}[$${operator}][1]=5`;
    return `filters${key}[$${operator}]=${operator.endsWith('ull') ? 'true' : text}`;
  };
  const ask = async (path: string): Promise<void> => {
    const answer = await send(`http://127.0.0.1:${plain.port}`, path, { token: key });
    if (![200, 400].includes(answer.status))
      expect.fail(`${path}\n${answer.status} ${JSON.stringify(answer.body)}`);
    if (answer.status === 400) expect(answer.at('error.name'), path).to.be.a('string');
  };

  it('are shown, populated and sorted by', async function () {
    this.timeout(180_000);
    await ask('/api/odds?populate=*&pagination[pageSize]=100');
    await ask('/api/odds?populate[many][populate]=*&populate[one][populate]=*&populate[from][populate]=*');
    for (const path of PATHS)
      for (const way of ['', ':desc'])
        await ask(`/api/odds?sort=${path.join('.')}${way}&pagination[pageSize]=3`);
  });

  it('produce a 200 or a 400 with every operator', async function () {
    this.timeout(180_000);
    const property = fc.asyncProperty(
      fc.constantFrom(...PATHS),
      fc.constantFrom(...OPERATORS),
      fc.constantFrom(...ASKED),
      fc.constantFrom('odds', 'notes'),
      async (path, operator, value, type) => {
        const at = type === 'notes' ? ['odd', ...path] : path;
        await ask(`/api/${type}?${condition(at, operator, value)}&pagination[pageSize]=2`);
      },
    );
    await fc.assert(property, { numRuns: rounds(50, 400) });
    for (const path of [
      ['string'],
      ['decimal'],
      ['datetime'],
      ['list'],
      ['json'],
      ['many', 'text'],
      ['loose', 'float'],
    ])
      for (const operator of OPERATORS)
        await ask(`/api/odds?${condition(path, operator, '5')}&pagination[pageSize]=2`);
  });

  it('produce a 200 or a 400 with _q and combined filters', async function () {
    this.timeout(180_000);
    for (const word of ['a', '5', '(', 'ä', '_', '%'])
      await ask(`/api/odds?_q=${encodeURIComponent(word)}&pagination[pageSize]=5`);
    await ask(
      '/api/odds?filters[$or][0][string][$contains]=a&filters[$or][1][many][n][$gt]=1&filters[$not][to][text][$eq]=b',
    );
  });
});
