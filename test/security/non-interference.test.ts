/**
 * What a caller may not see has no effect on anything it gets: two servers whose data differ only in drafts, private
 * attributes, passwords, entries of types without a grant, accounts and files answer alike, whatever is asked. An
 * oracle does not need to return a value, so status, headers, totals and order count as well (CVE-2023-22894 and
 * related ones).
 */
import { expect } from 'chai';
import { randomOf, SEED } from '../../packages/engine/test/support/random.js';
import { RULED } from '../support/non-interference/callers.js';
import type { Asks } from '../support/non-interference/queries.js';
import {
  certainReadings,
  type Reader,
  type Reading,
  readersOf,
} from '../support/non-interference/readers.js';
import { valuesOf } from '../support/non-interference/values.js';
import { type Door, openWorlds, type Pair, type Worlds } from '../support/non-interference/worlds.js';
import type { TestServer } from '../support/test-server.js';

const soak = process.env['MANGROVE_SOAK'] !== undefined;
const SOAK_RUNS = 10 * Number(process.env['MANGROVE_RUNS'] ?? 500);
const AT_ONCE = 8;

/** Who asks at which door, and how often in a short run. */
const ROWS: readonly (readonly [caller: string, door: Door, runs: number])[] = [
  ['the public', 'native', 120],
  ['the public', 'v4', 80],
  ['the public', 'v3', 60],
  ['a user', 'native', 120],
  ['a user', 'v4', 80],
  ['a user', 'v3', 60],
  // By door, since the callers share what a short run asks each.
  ...(['native', 'v4', 'v3'] as const).flatMap((door) =>
    Array.from({ length: RULED }, (_, at) => [`a user under rules ${at + 1}`, door, 40] as const),
  ),
  ['an API token', 'native', 120],
  ['an API token', 'v4', 80],
  ['an API token', 'v3', 60],
];

/** Headers that say nothing about content. */
const IGNORED = new Set([
  'date',
  'server-timing',
  'x-response-time',
  'x-request-id',
  'keep-alive',
  'connection',
]);

interface Received {
  readonly status: number;
  /** Status, body and headers. */
  readonly whole: string;
}

async function ask(
  { url }: TestServer,
  { path, headers, body }: Reading,
  key: string | undefined,
): Promise<Received> {
  const response = await fetch(url + path, {
    redirect: 'manual',
    headers: { ...headers, ...(key !== undefined && { authorization: `Bearer ${key}` }) },
    ...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }),
  });
  const text = await response.text();
  const { status } = response;
  const shown = [...response.headers].filter(([name]) => !IGNORED.has(name));
  return { status, whole: `${status} ${text} ${JSON.stringify(shown)}` };
}

const weighted = (readers: readonly Reader[]): readonly Reader[] =>
  readers.flatMap((reader) => Array.from({ length: reader.weight }, () => reader));

/** Both texts from a little before their first difference. */
function difference(one: string, other: string): string {
  let at = 0;
  while (one[at] === other[at]) at += 1;
  const from = Math.max(0, at - 60);
  return `${one.slice(from, at + 160)}\n    ${other.slice(from, at + 160)}`;
}

describe('security: non-interference', function () {
  this.timeout(3_600_000);
  let worlds: Worlds;
  before(async () => {
    worlds = await openWorlds();
  });
  after(() => worlds?.close());

  const pairOf = (caller: string): Pair => {
    const pair = worlds.pairs.find(({ asking }) => asking.name === caller);
    if (!pair) throw new Error(`nobody is ${caller}`);
    return pair;
  };

  for (const [row, [caller, door, some]] of ROWS.entries())
    it(`${caller} gets the same at the ${door} door of both servers`, async () => {
      const runs = soak ? SOAK_RUNS : some;
      const { asking, left, right, differ } = pairOf(caller);
      expect(differ, 'documents that differ').to.be.above(50);
      const random = randomOf(SEED + row);
      const values = await valuesOf([left[door], right[door]]);
      const asks: Asks = { schema: left[door].project.schema, values, random, asking };
      const readers = readersOf(door, left[door], asking);
      const often = weighted(readers);
      const unlike: string[] = [];
      const statuses: Record<number, number> = {};
      const compare = async (reading: Reading): Promise<void> => {
        const [one, other] = await Promise.all([
          ask(left[door], reading, asking.key),
          ask(right[door], reading, asking.key),
        ]);
        statuses[one.status] = (statuses[one.status] ?? 0) + 1;
        if (one.whole === other.whole) return;
        const asked = decodeURIComponent(reading.path) + (reading.body ? JSON.stringify(reading.body) : '');
        unlike.push(`${asked}\n    ${difference(one.whole, other.whole)}`);
      };
      const certain = [
        ...readers.map((reader) => reader.read(asks)),
        ...certainReadings(door, left[door], asks),
      ];
      // In a short run, the callers with rules share them.
      const first = soak || !asking.rules ? certain : certain.filter((_, at) => at % RULED === row % RULED);
      const all = Math.max(runs, first.length + runs / 2);
      for (let done = 0; done < all; done += AT_ONCE) {
        const batch = Array.from(
          { length: AT_ONCE },
          (_, at) => first[done + at] ?? random.pick(often).read(asks),
        );
        await Promise.all(batch.map(compare));
      }
      expect(
        unlike,
        `${unlike.length} of ${all} differ:\n  ${unlike.slice(0, 5).join('\n  ')}\n`,
      ).to.have.length(0);
      const answered = statuses[200] ?? 0;
      expect(answered, `what was answered: ${JSON.stringify(statuses)}`).to.be.above(runs / 20);
      expect(Object.keys(statuses).filter((status) => Number(status) >= 500)).to.deep.equal([]);
    });
});
