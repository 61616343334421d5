import { signToken } from '../../src/access/identity/jwt.js';
import type { Case } from './case.js';
import { accounts, documentId } from './content.js';
import { list, page, show } from './read-cases.js';

/** Of accounts that exist in the benchmark alone. */
export const JWT_SECRET = '5b0c6f2e9d4a4c1fb7e83a60d19f2c74';

const SHOWN = { id: 1, documentId: 1, title: 1, body: 1, createdAt: 1, updatedAt: 1, publishedAt: 1 };

/** A signed-in account, whose role lets it read all memos or its own. */
const signedIn = (n: number): Readonly<Record<string, string>> => {
  const token = signToken({ kind: 'plain', id: n + 1, passwordVersion: 0 }, JWT_SECRET, '1d');
  return { authorization: `Bearer ${token}` };
};

/** Of two accounts after each other, one has the role with the rule. */
const freeAccount = (n: number, size: number): number => 2 * (n % (accounts(size) / 2));
const ruledAccount = (n: number, size: number): number => freeAccount(n, size) + 1;

/** The same list of the same page size: without a rule, and by a rule about the owner, which has an index. */
export const ruleCases: readonly Case[] = [
  {
    name: 'own list, free',
    method: 'GET',
    path: () => '/memos',
    headers: (n, size) => signedIn(freeAccount(n, size)),
    floor: (on) => list(on, [...page({ id: 1 }), show(SHOWN)], null, 'memos'),
  },
  {
    name: 'own list, by rule',
    method: 'GET',
    path: () => '/memos',
    headers: (n, size) => signedIn(ruledAccount(n, size)),
    floor: (on, n) =>
      list(
        on,
        [...page({ id: 1 }), show(SHOWN)],
        { author: documentId('a', ruledAccount(n, on.size)) },
        'memos',
      ),
  },
];
