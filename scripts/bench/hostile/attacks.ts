import { randomBytes } from 'node:crypto';
import { documentId } from '../content.js';
import { type Attack, anyAddress, form, get, post, type Shot } from './attack.js';
import { blackSquare } from './picture.js';
import { starving } from './starving.js';

const repeat = <T>(count: number, make: (i: number) => T): T[] =>
  Array.from({ length: count }, (_, i) => make(i));

/** Back and forth between restaurants and their categories, `levels` times. */
const path = (levels: number): string => repeat(levels, () => 'categories.restaurants').join('.');

/** A key that nothing reads makes the query's text, and so its plan, a new one each time. */
const fresh = (query: string, n: number): Shot => get(`/restaurants?${query}&x=${n}`);

/** Pages that just stay within what an answer may show, and such as go far beyond it. */
const populated = (n: number): Shot =>
  n % 2 === 0
    ? fresh(`pagination[pageSize]=12&populate=${path(1)}`, n)
    : fresh(`pagination[pageSize]=100&populate=${path(2 + (n % 8))}`, n);

/** About as many ids as fit into the 16 KB that Node takes of a request's head, by the length of what names them. */
const WIDE: readonly (readonly [field: string, ids: number])[] = [
  ['[id]', 500],
  ['[categories][restaurants][id]', 260],
];

const wide = (n: number, size: number): Shot => {
  const [field, count] = WIDE[n % WIDE.length] ?? ['[id]', 1];
  const ids = repeat(count, (i) => `filters${field}[$in][]=${(n * count + i) % (2 * size)}`);
  return fresh(ids.join('&'), n);
};

const page = (n: number, size: number): Shot =>
  fresh(
    `populate=*&sort=description,name&pagination[start]=${size - 100 - (n % 10)}&pagination[limit]=100`,
    n,
  );

const pattern = (n: number): Shot => {
  const text = encodeURIComponent(`${'a sit in '.repeat(20)}${n}`);
  const fields = ['description', 'name', 'categories.name', 'owner.firstName', 'chef.bio', 'menu.name'];
  const any = fields.map(
    (field, i) =>
      `filters[$or][${i}]${field
        .split('.')
        .map((part) => `[${part}]`)
        .join('')}[$notContainsi]=${text}`,
  );
  return fresh(`${n % 2 === 0 ? `_q=${text}` : any.join('&')}&sort=description`, n);
};

const deep = (n: number): Shot => {
  const levels = repeat(1 + (n % 3), () => '[$or][0][$not][categories][restaurants]').join('');
  return fresh(`filters${levels}[description][$containsi]=${n}&sort=owner.lastName`, n);
};

/** What is sorted by stands behind relations, or in what is populated and filtered once more. */
const SORTED: readonly string[] = [
  'sort=owner.lastName,chef.name',
  'sort=categories.name,categories.restaurants.name',
  'populate[categories][populate][restaurants][filters][description][$notContainsi]=N',
  'populate[categories][populate][restaurants][filters][categories][restaurants][name][$ne]=N',
  'filters[owner][lastName][$startsWithi]=N&populate[owner][populate]=*&sort=owner.firstName',
];

const sorted = (n: number): Shot => {
  const query = SORTED[n % SORTED.length] ?? '';
  return fresh(`${query.replace('N', String(n))}&pagination[pageSize]=100`, n);
};

/** Doors beside the content: descriptions of what there is, and pages. */
const DOORS: readonly string[] = [
  '/api/openapi.json?counts=true&drafts=true',
  '/api/content-type-builder/content-types',
  '/api/content-type-builder/components',
  '/api/upload/files?filters[name][$containsi]=a&sort=name',
  '/docs',
  '/_health',
];

const door = (n: number): Shot => {
  const path = DOORS[n % DOORS.length] ?? '/';
  return { method: 'GET', path: `${path}${path.includes('?') ? '&' : '?'}x=${n}` };
};

const useTool = (name: string, args: object): object => ({
  method: 'tools/call',
  params: { name, arguments: args },
});

const RESTAURANTS = { type: 'api::restaurant.restaurant' };
const DEEP = {
  categories: {
    populate: { restaurants: { populate: { categories: { populate: { restaurants: true } } } } },
  },
};

/** What agents ask by JSON-RPC: schemas of everything, pages that go just up to the limits and far beyond them, and nested nonsense. */
const TOOL_USES: readonly object[] = [
  { method: 'tools/list' },
  useTool('describe_type', { ...RESTAURANTS, parts: ['answer', 'create', 'update', 'query'] }),
  useTool('find', { ...RESTAURANTS, populate: { categories: true }, pagination: { pageSize: 100 } }),
  useTool('find', { ...RESTAURANTS, populate: DEEP, pagination: { pageSize: 100 } }),
  useTool('find', {
    ...RESTAURANTS,
    filters: { $or: repeat(900, (i) => ({ name: { $containsi: `${i}` } })) },
  }),
  useTool('create', {
    ...RESTAURANTS,
    dryRun: true,
    status: 'published',
    data: { name: 'Tried', menu: repeat(900, (i) => ({ name: `Dish ${i}`, price: i })) },
  }),
  useTool('find', { ...RESTAURANTS, _q: 'x'.repeat(400_000) }),
];

const tool = (n: number): Shot => ({
  method: 'POST',
  path: '/mcp',
  headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
  body: JSON.stringify({ jsonrpc: '2.0', id: n, ...TOOL_USES[n % TOOL_USES.length] }),
});

/** Mail with a long text to many, and nested where text belongs. */
const mail = (n: number): Shot =>
  post('/email', {
    to: repeat(n % 2 === 0 ? 1 : 2000, (i) => `a${i}@example.test`).join(','),
    subject: `Mail ${n}`,
    text: n % 3 === 0 ? { path: '/etc/hostname' } : 'x'.repeat(700_000),
  });

const IDENTIFIERS = ['/auth/local', '/auth/local/register', '/auth/forgot-password'];

const signIn = (n: number): Shot => {
  const name = `flood-${randomBytes(8).toString('hex')}`;
  const email = `${name}@example.test`;
  const password = `Pass-${name}`;
  return { ...post(IDENTIFIERS[n % 3] ?? '', { identifier: name, username: name, email, password }) };
};

const once = <T>(make: () => T): (() => T) => {
  let made: T | undefined;
  return () => {
    made ??= make();
    return made;
  };
};

const large = once(() => randomBytes(60_000_000));
/** Just within the limit of pixels, and far beyond it. */
const bombs = [once(() => blackSquare(7000)), once(() => blackSquare(16_000))];

const write = (n: number, size: number): Shot =>
  post('/restaurants', {
    data: {
      name: `Written ${n}`,
      description: 'x'.repeat(400_000),
      categories: repeat(900, (i) => documentId('k', (n + i) % 50)),
      owner: documentId('p', n % Math.max(50, Math.floor(size / 10))),
      menu: repeat(900, (i) => ({ name: `Dish ${i}`, price: i, spicy: true })),
      blocks: repeat(900, (i) => ({ __component: 'blocks.quote', text: `Quote ${i}`, author: 'Me' })),
      settings: { deep: repeat(5000, (i) => ({ i })) },
    },
  });

/** What one client can do at its worst, one thing at a time. Those that write come last: the others read what they leave. */
export const attacks: readonly Attack[] = [
  { name: 'none', connections: 0, shot: () => get('/restaurants') },
  { name: 'deep populate', connections: 20, shot: populated },
  {
    name: 'deep populate, hung up',
    connections: 20,
    shot: (n) => ({ ...populated(n), ending: { hangUpAfterMs: 200 } }),
  },
  { name: 'answers left unread', connections: 100, shot: (n) => ({ ...populated(n), ending: 'leave' }) },
  { name: 'wide $in', connections: 20, shot: wide },
  { name: 'deep pages', connections: 20, shot: page },
  { name: 'patterns', connections: 20, shot: pattern },
  { name: 'deep filters', connections: 20, shot: deep },
  { name: 'sorts and filtered populates', connections: 20, shot: sorted },
  { name: 'descriptions and pages', connections: 50, shot: door },
  { name: 'tools of agents', connections: 20, shot: tool },
  { name: 'mail', connections: 20, shot: mail },
  { name: 'sign-ins', connections: 50, shot: signIn },
  {
    name: 'sign-ins, many addresses',
    connections: 50,
    shot: (n) => ({ ...signIn(n), from: anyAddress() }),
  },
  ...starving,
  {
    name: 'bodies never ended',
    connections: 500,
    shot: (n) => ({ ...post('/restaurants', { data: { name: n } }), ending: 'stall' }),
  },
  {
    name: 'large uploads',
    connections: 8,
    shot: (n) => ({ ...form(large(), `${n}.bin`, 'application/x-x'), ending: { hangUpAfterMs: 900 } }),
  },
  {
    name: 'image bombs',
    connections: 8,
    shot: (n) => form(bombs[n % 2]?.() ?? Buffer.alloc(0), `${n}.png`, 'image/png'),
  },
  { name: 'large writes', connections: 20, shot: write },
];
