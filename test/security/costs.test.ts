/**
 * What one request may cost the server: rows and bytes that it reads and returns, plans that it leaves behind, work for
 * a caller who has gone.
 */
import { getEventListeners } from 'node:events';
import { request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { newLargeReads } from '../../src/documents/read/large-reads.js';
import { newCache } from '../../src/documents/read/plan-cache.js';
import { planBytes } from '../../src/documents/read/plan-size.js';
import type { ApiError } from '../../src/errors.js';
import type { Budget } from '../../src/limits/budget.js';
import { createGate } from '../../src/limits/gate.js';
import { compileRead } from '../../src/pipeline/compile.js';
import { HEAVY, weightOf } from '../../src/query/plan/weight.js';
import type { ReadPlan } from '../../src/query/read-plan.js';
import { budgetOf } from '../support/budget.js';
import { planOf } from '../support/corpus/plan.js';
import { requestFor } from '../support/reading.js';
import { send } from '../support/send.js';
import { startTestServer, type TestServer } from '../support/test-server.js';

const FIND = ['restaurant', 'category'].map((name) => `api::${name}.${name}.find`);
const LINKED = 12;
/** The limits that a populate may exceed, by the code of the error; that of 16 MB is the database's own. */
const SETTINGS: Readonly<Record<string, string>> = {
  'answer-too-many-entries': 'query.maxRows',
  'answer-too-large': 'query.maxBytes',
  'query-timed-out': 'database.maxTimeMS',
  'populated-entry-too-large': '',
};

describe('security: costs', function () {
  this.timeout(180_000);
  let server: TestServer;
  before(async () => {
    server = await startTestServer({ roles: { public: FIND } });
    const { documents } = server.project;
    const ids: string[] = [];
    for (let i = 0; i < LINKED; i++) {
      const made = await documents('api::category.category').create({
        data: { name: `c${i}` },
        status: 'published',
      });
      ids.push(String(made['documentId']));
    }
    for (let i = 0; i < LINKED; i++)
      await documents('api::restaurant.restaurant').create({
        data: { name: `r${i}`, description: 'x'.repeat(1000), categories: ids },
        status: 'published',
      });
  });
  after(() => server.close());

  const levels = (count: number): string =>
    Array.from({ length: count }, (_, i) => (i % 2 === 0 ? 'categories' : 'restaurants')).join('.');

  it('MANGROVE-02: a populate with an unbounded result is a 400 that names the limit', async () => {
    for (const count of [5, 9, 10, 19]) {
      const answer = await send(server.url, `/api/restaurants?populate=${levels(count)}`);
      expect([answer.status, answer.at('error.name')], String(count)).to.deep.equal([
        400,
        'ApplicationError',
      ]);
      // Which limit is hit first, the response's or the database's, depends on the server.
      const { setting, code } = answer.at('error.details') as { setting?: string; code: string };
      expect(SETTINGS[code], `${count} ${code}`).to.be.a('string');
      expect(setting ?? '', code).to.equal(SETTINGS[code]);
    }
    expect((await send(server.url, `/api/restaurants?populate=${levels(2)}`)).status).to.equal(200);
  });

  it('MANGROVE-02: a read ends when its caller abandons it', async () => {
    const type = server.project.schema.contentTypes.get('api::restaurant.restaurant');
    if (!type) throw new Error('no restaurants');
    const controller = new AbortController();
    const budget = budgetOf({ signal: controller.signal });
    const query = `populate=${levels(4)}&pagination[pageSize]=100`;
    const reading = server.project.reader.list({ ...requestFor(type, query), budget });
    const reason = new Error('gone');
    controller.abort(reason);
    expect(
      await reading.then(
        () => null,
        (error: unknown) => error,
      ),
    ).to.equal(reason);
    const leave = await budget.heavy.enter();
    leave();
  });

  it('MANGROVE-02: closing the socket ends the work of its request, and the next one is served', async () => {
    const path = `/api/restaurants?populate=${levels(4)}&pagination[pageSize]=100`;
    for (let i = 0; i < 10; i++) {
      const sent = request(new URL(path, server.url));
      sent.on('error', () => undefined);
      sent.end();
      await sleep(5);
      sent.destroy();
    }
    expect((await send(server.url, '/api/restaurants')).status).to.equal(200);
  });

  it('MANGROVE-02: heavy reads take turns, separately from light ones', () => {
    expect(weightOf(planOf(''))).to.be.below(HEAVY);
    expect(weightOf(planOf('populate=*'))).to.be.below(HEAVY);
    expect(weightOf(planOf('populate=categories.restaurants.categories'))).to.be.above(HEAVY);
    // Substrings, which no index finds.
    const parts = (count: number): string =>
      Array.from({ length: count }, (_, i) => `filters[$or][${i}][name][$containsi]=a`).join('&');
    expect(weightOf(planOf(parts(2)))).to.be.below(HEAVY);
    expect(weightOf(planOf(parts(6)))).to.be.above(HEAVY);
    expect(weightOf(planOf(`${parts(2)}&filters[categories][name][$containsi]=a`))).to.be.below(HEAVY);
  });

  it('MANGROVE-17: reads that populate what was large before are heavy, whatever their page and filters', () => {
    const reads = newLargeReads(1_000_000);
    const page = (size: number, more = ''): ReadPlan =>
      planOf(`populate=categories&pagination[pageSize]=${size}${more}`);
    reads.learn(page(1), 'a', { bytes: 20_000, rows: 1 });
    expect([1, 100].map((size) => reads.expects(page(size), 'a'))).to.deep.equal([false, true]);
    expect(reads.expects(page(100, '&filters[name]=a&sort=name'), 'a')).to.equal(true);
    reads.fail(page(1), 'a');
    expect(['a', 'b'].map((client) => reads.expects(page(1), client))).to.deep.equal([true, false]);
  });

  it('MANGROVE-20: a read is heavy until a similar one was measured, and a small one does not hide large ones at once', () => {
    const reads = newLargeReads(1_000_000);
    for (const query of ['populate=categories', 'pagination[pageSize]=100', 'populate=menu']) {
      const plan = planOf(query);
      expect(reads.expects(plan, 'a'), query).to.equal(true);
      reads.learn(plan, 'a', { bytes: 0, rows: 0 });
      expect(reads.expects(plan, 'a'), query).to.equal(true);
      reads.learn(plan, 'a', { bytes: 500, rows: 1 });
      expect(reads.expects(plan, 'a'), query).to.equal(false);
    }
    // A page of large entries without populate counts like any other.
    const page = planOf('pagination[pageSize]=100');
    reads.learn(page, 'a', { bytes: 80_000, rows: 1 });
    for (const expected of [true, true, true, false]) {
      reads.learn(page, 'a', { bytes: 100, rows: 1 });
      expect(reads.expects(page, 'a')).to.equal(expected);
    }
  });

  it('MANGROVE-20: a light read that turns out large waits before its response is built', async () => {
    const type = server.project.schema.contentTypes.get('api::restaurant.restaurant');
    if (!type) throw new Error('no restaurants');
    const { documents, reader } = server.project;
    const heavy = createGate({ atOnce: 1, maxWaiting: 10 });
    const read = (query: string) => reader.list({ ...requestFor(type, query), budget: budgetOf({ heavy }) });
    const query = 'filters[name]=large&fields=description&populate[menu][fields]=name';
    await read('fields=description&populate[menu][fields]=name');
    await documents('api::restaurant.restaurant').create({
      data: { name: 'large', description: 'x'.repeat(1_800_000), menu: [{ name: 'soup' }] },
      status: 'published',
    });
    const inside = await heavy.enter();
    let answered = false;
    const waiting = read(query).finally(() => {
      answered = true;
    });
    await sleep(300);
    expect(answered).to.equal(false);
    inside();
    expect((await waiting).data).to.have.lengthOf(1);
    expect(heavy.idle).to.equal(true);
  });

  it('MANGROVE-17: an abandoned read counts as large until similar ones were small, for its client and if it populates', async () => {
    const type = server.project.schema.contentTypes.get('api::restaurant.restaurant');
    if (!type) throw new Error('no restaurants');
    const heavy = createGate({ atOnce: 1, maxWaiting: 10 });
    const { reader } = server.project;
    const read = (of: Partial<Budget>, query = 'populate=categories&fields=name') =>
      reader.list({ ...requestFor(type, query), budget: budgetOf({ heavy, ...of }) });
    await read({});
    await read({}, 'fields=name');
    const inside = await heavy.enter();
    await read({});
    const signal = AbortSignal.abort(new Error('gone'));
    await read({ signal }).catch(() => undefined);
    await read({ signal }, 'fields=name').catch(() => undefined);
    let answered = false;
    const waiting = read({}).finally(() => {
      answered = true;
    });
    await read({}, 'fields=name');
    await read({ client: 'another' });
    expect(answered).to.equal(false);
    inside();
    await waiting;
    for (let i = 0; i < 10; i++) await read({});
    await heavy.enter();
    await read({});
  });

  /** Filters that lead from restaurants to categories and back, each level within `$not`. */
  const there = (count: number): string =>
    `filters${'[$or][0][$not][categories][restaurants]'.repeat(count)}[name][$containsi]=a`;

  it('MANGROVE-17: filters and sorts through relations are weighed by the rows that they traverse', () => {
    const heavy = [
      there(1),
      'filters[categories][restaurants][categories][name]=a&sort=categories.name',
      'sort=categories.name',
      'populate[categories][filters][restaurants][categories][restaurants][name][$ne]=a',
    ];
    const light = [
      'filters[categories][name]=a',
      'filters[categories][restaurants][name]=a',
      'filters[name][$ne]=a',
      'populate[categories][filters][name]=a',
    ];
    for (const query of heavy) expect(weightOf(planOf(query)), query).to.be.above(HEAVY);
    for (const query of light) expect(weightOf(planOf(query)), query).to.be.below(HEAVY);
  });

  it('MANGROVE-17: a filter reached by many paths is a single query, however deep', () => {
    const queries = (count: number): number => compileRead(planOf(there(count))).semiJoins.length;
    expect(queries(3) - queries(2)).to.equal(queries(2) - queries(1));
  });

  it("MANGROVE-17: a deep filter succeeds, and leaves no listener on its request's signal", async () => {
    const type = server.project.schema.contentTypes.get('api::restaurant.restaurant');
    if (!type) throw new Error('no restaurants');
    const { signal } = new AbortController();
    const warnings: string[] = [];
    const warn = ({ name }: Error): void => void warnings.push(name);
    process.on('warning', warn);
    const query = `${there(3)}&sort=categories.name`;
    const list = await server.project.reader.list({
      ...requestFor(type, query),
      budget: budgetOf({ signal }),
    });
    await sleep(1);
    process.off('warning', warn);
    expect(list.data).to.have.lengthOf(LINKED);
    expect(warnings).to.deep.equal([]);
    expect(getEventListeners(signal, 'abort')).to.deep.equal([]);
  });

  it('MANGROVE-17: a gate reserves room for other clients', async () => {
    const gate = createGate({ atOnce: 3, perClient: 2, maxWaiting: 10 });
    const [first] = [await gate.enter({ client: 'a' }), await gate.enter({ client: 'a' })];
    let entered = false;
    const third = gate.enter({ client: 'a' }).finally(() => {
      entered = true;
    });
    const other = await gate.enter({ client: 'b' });
    other();
    await sleep(1);
    expect(entered).to.equal(false);
    first?.();
    (await third)();
    expect(entered).to.equal(true);
  });

  it('a gate admits some, makes others wait, and refuses the rest', async () => {
    const gate = createGate({ atOnce: 1, maxWaiting: 1 });
    const leave = await gate.enter();
    const next = gate.enter();
    expect(
      await gate.enter().then(
        () => 0,
        (error: ApiError) => error.status,
      ),
    ).to.equal(429);
    leave();
    (await next)();
    const gone = new AbortController();
    const held = await gate.enter();
    const waiting = gate.enter({ signal: gone.signal });
    gone.abort(new Error('gone'));
    expect(
      await waiting.then(
        () => '',
        (error: Error) => error.message,
      ),
    ).to.equal('gone');
    held();
    (await gate.enter())();
  });

  it('MANGROVE-09: cached plans are limited by size', () => {
    const sizeOf = (query: string): number => {
      const plan = planOf(query);
      return planBytes(plan.selection, compileRead(plan));
    };
    const wide = Array.from({ length: 150 }, (_, i) => `filters[$or][${i}][categories][name]=x${i}`).join(
      '&',
    );
    expect(sizeOf(wide)).to.be.above(20 * sizeOf('filters[name]=x'));
    const cache = newCache<{ readonly bytes: number }>(1_000_000, ({ bytes }) => bytes);
    for (let i = 0; i < 100; i++) cache.set(`k${i}`, { bytes: 50_000 });
    const kept = Array.from({ length: 100 }, (_, i) => cache.get(`k${i}`)).filter(Boolean);
    expect(kept.length).to.be.within(10, 20);
    cache.set('huge', { bytes: 900_000 });
    expect(cache.get('huge')).to.equal(undefined);
  });
});
