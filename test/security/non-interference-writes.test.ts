/**
 * What a caller may not see has no effect on what its writes answer, nor on what it reads afterwards: two servers whose
 * data differ only in that get the same writes, one after the other. Each caller has random rules.
 */
import { expect } from 'chai';
import { randomOf, SEED } from '../../packages/engine/test/support/random.js';
import { RULED } from '../support/non-interference/callers.js';
import type { Asks } from '../support/non-interference/queries.js';
import { readersOf } from '../support/non-interference/readers.js';
import { withSameIds } from '../support/non-interference/same-ids.js';
import { valuesOf } from '../support/non-interference/values.js';
import { openWorlds, type Worlds } from '../support/non-interference/worlds.js';
import { normalized, unusedBodies, type Writing, writersOf } from '../support/non-interference/writers.js';
import type { TestServer } from '../support/test-server.js';

const soak = process.env['MANGROVE_SOAK'] !== undefined;
const RUNS = soak ? 5000 : 80;
/** Reads between the writes. */
const EVERY = 25;
const READS = 12;

async function send(
  { url }: TestServer,
  { path, headers, method, body }: Partial<Writing> & Pick<Writing, 'path' | 'headers'>,
  key: string | undefined,
): Promise<{ readonly status: number; readonly text: string }> {
  const response = await fetch(url + path, {
    method: method ?? (body === undefined ? 'GET' : 'POST'),
    redirect: 'manual',
    headers: { ...headers, ...(key !== undefined && { authorization: `Bearer ${key}` }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const shown = ['content-type', 'x-error-code', 'etag', 'location'].map((name) =>
    response.headers.get(name),
  );
  return {
    status: response.status,
    text: `${response.status} ${await response.text()} ${JSON.stringify(shown)}`,
  };
}

describe('security: non-interference of writes', function () {
  this.timeout(3_600_000);
  let worlds: Worlds;
  before(async () => {
    worlds = await openWorlds({ writes: true });
  });
  after(() => worlds?.close());

  it('every route that writes is asked', () => {
    const [pair] = worlds.pairs;
    if (!pair) throw new Error('no worlds');
    expect(writersOf(pair.left.native, pair.asking).length).to.be.above(40);
    expect(unusedBodies(pair.left.native)).to.deep.equal([]);
  });

  for (let at = 0; at < RULED; at++)
    it(`a user under rules ${at + 1} gets the same from both servers`, async () => {
      const pair = worlds.pairs[at];
      if (!pair) throw new Error('no such caller');
      const { asking, left, right } = pair;
      const servers = [left.native, right.native] as const;
      const random = randomOf(SEED + 100 + at);
      const values = await valuesOf(servers);
      const asks: Asks = { schema: left.native.project.schema, values, random, asking };
      const writers = writersOf(left.native, asking).flatMap((one) => Array(one.weight).fill(one));
      const readers = readersOf('native', left.native, asking).flatMap((one) => Array(one.weight).fill(one));
      const isKnown = (id: string): boolean => values.isKnown(id);
      const statuses: Record<number, number> = {};
      const history: string[] = [];
      const both = async (asked: Parameters<typeof send>[1]): Promise<void> => {
        const [one, other] = await withSameIds(`${asking.name} ${history.length}`, servers, (server) =>
          send(server, asked, asking.key),
        );
        if (!one || !other) return;
        if (asked.method !== undefined) statuses[one.status] = (statuses[one.status] ?? 0) + 1;
        history.push(`${asked.method ?? ''} ${asked.path} ${JSON.stringify(asked.body)} → ${one.status}`);
        expect(
          normalized(other.text, isKnown),
          `after ${history.slice(-4).join('\n  ')}\n of rules ${JSON.stringify(asking.rules?.stored)}`,
        ).to.equal(normalized(one.text, isKnown));
      };
      for (let done = 0; done < RUNS; done++) {
        await both(random.pick(writers).write(asks));
        if (done % EVERY === EVERY - 1)
          for (let read = 0; read < READS; read++) await both(random.pick(readers).read(asks));
      }
      expect(statuses[200] ?? 0, JSON.stringify(statuses)).to.be.above(RUNS / 20);
      expect(statuses[403] ?? 0, JSON.stringify(statuses)).to.be.above(RUNS / 20);
      expect(Object.keys(statuses).filter((status) => Number(status) >= 500)).to.deep.equal([]);
    });
});
