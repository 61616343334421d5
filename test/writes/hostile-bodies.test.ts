/**
 * Bodies of every wrong shape: the status is always below 500, and a refused body changes nothing. `MANGROVE_SOAK=1`
 * sends more.
 */
import { expect } from 'chai';
import fc from 'fast-check';
import { send } from '../support/send.js';
import { startTestServer, type TestServer } from '../support/test-server.js';

const BODIES = process.env['MANGROVE_SOAK'] ? 6000 : 35;
/** Written into the JSON text as a number that does not fit a double. */
const INFINITE = '@infinite@';

const deep = (levels: number): unknown => (levels === 0 ? 1 : { a: deep(levels - 1) });
const hostile: readonly unknown[] = [
  ...[null, true, false, 0, -1, 1.5, 2 ** 31, 1e20, 1e308, -1e308, INFINITE, 2 ** 53 + 2],
  ...['', 'x', 'null', '[]', '{"a":1}', '5', '1e400', '\u0000', '\ud800', 'a\udfffb', '$x', 'a'.repeat(3000)],
  ...[[], [null], [[]], [{}], [[[1]]], ['x', 5, null], Array.from({ length: 300 }, (_, at) => at)],
  ...[{}, { id: 1 }, { id: -1 }, { id: 1e300 }, { id: {} }, { id: [1] }, { id: '1 or 1' }, { id: null }],
  ...[{ documentId: null }, { documentId: {} }, { documentId: { $ne: null } }, { documentId: '\u0000' }],
  ...[{ set: {} }, { set: [{}] }, { set: 'x' }, { set: [[1]] }, { connect: 'x' }, { connect: {} }],
  ...[{ connect: [{ id: {} }] }, { connect: [null] }, { connect: [{ id: 1, position: null }] }],
  ...[{ connect: [{ id: 1, position: { before: {} } }] }, { connect: [{ id: 1, position: { after: 'x' } }] }],
  ...[{ disconnect: 5 }, { disconnect: [{ id: 1e300 }] }, { options: null, connect: [1] }, { locale: {} }],
  ...[{ $gt: '' }, { $set: { a: 1 } }, { 'a.b': 1 }, { '': 1 }, { 'a\u0000b': 1 }, { '\ud800': 1 }],
  ...[
    { constructor: 1 },
    { toString: 1 },
    { length: 5 },
    Object.fromEntries([['then', 1]]),
    { toJSON: 1 },
    { valueOf: null },
  ],
  ...[{ _bsontype: 'Long' }, { _bsontype: 'Nope' }, { _bsontype: 'Decimal128' }, { __isLong__: true }],
  ...[{ __component: 'blocks.quote' }, { __component: {} }, { __component: 'constructor' }],
  ...[{ __type: 'api::category.category', id: 1 }, { __type: {} }, deep(40), deep(95), deep(300)],
  ...[
    '2024-02-30',
    '99999-01-01',
    '2024-01-01T25:00:00Z',
    '08:30',
    '+275760-09-13T00:00:00.001Z',
    8.64e15 + 1,
  ],
];

type Json = unknown;
interface Change {
  /** Selects a place in the body: from the root, one field or item at each step. */
  readonly path: readonly number[];
  readonly value: Json;
  readonly kind: 'replace' | 'add' | 'wrap' | 'drop';
}

const ODD_KEYS = [
  'id',
  'documentId',
  'locale',
  '__component',
  '__proto__',
  'constructor',
  '_id',
  '$set',
  'a.b',
  '',
];

/** `body` with one random change. */
const mutate = (body: Json, { path, value, kind }: Change): Json => {
  const [step, ...rest] = path;
  const keys = typeof body === 'object' && body !== null ? Object.keys(body) : [];
  const key = keys[(step ?? 0) % Math.max(keys.length, 1)];
  if (step === undefined || key === undefined)
    return kind === 'wrap' ? [body] : kind === 'drop' ? undefined : value;
  const copy: Record<string, unknown> | unknown[] = Array.isArray(body) ? [...body] : { ...(body as object) };
  if (rest.length === 0 && kind === 'add') {
    const name = ODD_KEYS[step % ODD_KEYS.length] ?? '';
    Object.defineProperty(copy, name, { value, enumerable: true, configurable: true, writable: true });
    return copy;
  }
  const changed = mutate(Reflect.get(copy, key), { path: rest, value, kind });
  if (changed === undefined) Reflect.deleteProperty(copy, key);
  else Reflect.set(copy, key, changed);
  return copy;
};

const change: fc.Arbitrary<Change> = fc.record({
  path: fc.array(fc.nat(40), { minLength: 1, maxLength: 6 }),
  value: fc.constantFrom(...hostile),
  kind: fc.constantFrom('replace', 'replace', 'replace', 'add', 'wrap', 'drop'),
});

const blocks = [{ type: 'paragraph', children: [{ type: 'text', text: 'x', bold: true }] }];
const seo = { metaTitle: 'm', keywords: { a: [1] }, shareImage: null };
/** A valid body for each type; the first word is the path. */
const bodies: Readonly<Record<string, object>> = {
  restaurants: {
    name: 'n',
    slug: null,
    story: blocks,
    stars: 3,
    price: 1.5,
    visits: '7',
    open: true,
    cuisine: 'fusion',
    email: 'a@b.co',
    secret: 'pass',
    founded: '2024-01-02',
    opensAt: '08:30:00',
    lastInspection: '2024-01-02T03:04:05Z',
    settings: { a: { b: [1] } },
    categories: { connect: [{ id: 1, position: { start: true } }], disconnect: [] },
    owner: null,
    similar: [],
    menu: [{ name: 'd', price: 1, ingredients: [{ name: 'i', grams: 1 }], category: null, photo: null }],
    location: { city: 'c', lat: 1.5 },
    blocks: [
      { __component: 'blocks.hero', title: 't', cta: { label: 'l' }, image: null },
      { __component: 'blocks.related', restaurants: [], links: [{ label: 'l' }] },
    ],
    cover: null,
    gallery: [],
  },
  reviews: {
    title: 'title',
    body: 'long enough a body',
    score: 5,
    flag: true,
    big: '5',
    mood: 'happy',
    rich: blocks,
    extra: [1],
    tags: [{ label: 'l', weight: 1 }],
    seo,
    zone: [{ __component: 'blocks.quote', text: 'q' }],
    restaurant: null,
    user: null,
    attachments: [],
  },
  articles: { title: 't', views: 1, seo, tags: [{ label: 'a' }], related: [], categories: [], hero: null },
  memos: {
    title: null,
    count: 1,
    due: '2024-01-02',
    lines: [{ name: 'i' }],
    zone: [],
    people: [],
    next: null,
  },
};

const text = (data: Json): string => JSON.stringify({ data }).replaceAll(`"${INFINITE}"`, '1e400');

describe('hostile bodies', function () {
  this.timeout(BODIES * 200 + 60_000);
  let server: TestServer;
  let token: string;
  const known: Record<string, string> = {};
  before(async () => {
    server = await startTestServer({}, { hostile: true });
    token = (await server.project.access.tokens.create({ name: 'full', type: 'full-access' })).key;
    await send(server.url, '/api/categories', { token, body: { data: { name: 'first' } } });
    for (const [path, data] of Object.entries(bodies)) {
      const body = { data: path === 'memos' ? { ...data, title: 'memo' } : data };
      const made = await send(server.url, `/api/${path}`, { token, body });
      expect(made.status, JSON.stringify(made.body)).to.equal(201);
      known[path] = String(made.at('data.documentId'));
    }
  });
  after(() => server.close());

  /** All stored content. */
  const stored = async (): Promise<string> => {
    const names = ['restaurants', 'reviews', 'articles', 'people', 'chefs'].flatMap((name) => [
      name,
      `${name}.drafts`,
    ]);
    const lists = [...names, 'memos', 'categories'].map((name) =>
      server.project.store.db.collection(name).find().sort({ _id: 1 }).toArray(),
    );
    return JSON.stringify(await Promise.all(lists));
  };

  it(`${BODIES} of them: no 500, nothing stored halfway, everything readable`, async () => {
    let before = await stored();
    let taken = 0;
    const property = fc.asyncProperty(
      fc.constantFrom(...Object.keys(bodies)),
      fc.boolean(),
      fc.constantFrom('', '?status=draft'),
      fc.array(change, { minLength: 1, maxLength: 3 }),
      async (path, create, query, changes) => {
        const data = changes.reduce(mutate, bodies[path] as Json);
        const method = create ? 'POST' : 'PUT';
        const at = `/api/${path}${create ? '' : `/${known[path]}`}`;
        const answer = await send(server.url, at + query, { method, token, body: text(data) });
        const context = `${method} ${at}${query} ${text(data).slice(0, 3000)} → ${JSON.stringify(answer.body)}`;
        expect(answer.status, context).to.be.lessThan(500);
        if (answer.status < 400) {
          taken += 1;
          const documentId = String(answer.at('data.documentId'));
          const populate =
            path === 'restaurants'
              ? '&populate[blocks][populate]=*&populate[menu][populate]=*'
              : '&populate=*';
          const read = await send(server.url, `/api/${path}/${documentId}?status=draft${populate}`, {
            token,
          });
          expect(read.status, `${context}, read back`).to.equal(200);
          if (create)
            await send(server.url, `/api/${path}/${documentId}?locale=*`, { method: 'DELETE', token });
          before = await stored();
        } else {
          expect(answer.at('error.message'), context).to.be.a('string').and.not.equal('');
          expect(await stored(), context).to.equal(before);
        }
      },
    );
    await fc.assert(property, { numRuns: BODIES, endOnFailure: !process.env['MANGROVE_SHRINK'] });
    expect(taken, 'some are valid after all').to.be.greaterThan(BODIES / 50);
  });
});
