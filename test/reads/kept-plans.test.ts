/** Plans are cached by the text of a query, and share renderers, which has no effect on the response. */
import { expect } from 'chai';
import fc from 'fast-check';
import { createReader } from '../../src/documents/read/create-reader.js';
import type { QueryRequest } from '../../src/documents/read/prepare-read.js';
import type { Reader, ReadRequest } from '../../src/documents/read/reader.js';
import { textQuery } from '../../src/query/query.js';
import type { Caller } from '../../src/query/read-plan.js';
import { type TestStore, testStore } from '../support/engine.js';
import { everything, queryOf, readConfig } from '../support/reading.js';
import { rounds } from '../support/rounds.js';
import { library, load, type Question, schema, typeOf } from './shops.js';

const RUNS = rounds(2, 10, 'PROPERTY_RUNS');

describe('cached plans', function () {
  this.timeout(600_000);
  let test: TestStore;
  before(async () => {
    test = await testStore();
  });
  after(() => test.close());

  const newReader = (rest: { strictParams?: boolean } = {}): Reader =>
    createReader({ schema, store: test.store, config: readConfig(rest) });

  it('return what a new plan for each query would', () => {
    const kept = newReader();
    const answer = async (reader: Reader, { uid, query }: Question, v4: boolean): Promise<string> => {
      const type = typeOf(uid);
      const request: ReadRequest = {
        type,
        query: { ...queryOf(query), mode: 'rest' },
        caller: everything,
        v4,
      };
      try {
        const { json, pagination } = await reader.json(request, { target: 'list' });
        return `${json?.done().toString()} ${JSON.stringify(pagination)}`;
      } catch (error) {
        return String(error);
      }
    };
    return fc.assert(
      fc.asyncProperty(library, fc.boolean(), async ({ collections, queries }, v4) => {
        await load(test.store.db, collections);
        for (const { uid, query } of queries) {
          const { filters: _, ...unfiltered } = query;
          for (const each of [query, unfiltered, { ...query, pagination: { pageSize: 2 } }])
            expect(await answer(kept, { uid, query: each }, v4)).to.equal(
              await answer(newReader(), { uid, query: each }, v4),
            );
        }
      }),
      { numRuns: RUNS, endOnFailure: true },
    );
  });

  const type = typeOf('api::shop.shop');
  const prepared = (reader: Reader, text: string, more: Partial<QueryRequest> = {}) =>
    reader.prepare({ type, query: textQuery(text), caller: everything, target: 'list', ...more }).read;

  it('are found by the text of the query', () => {
    const reader = newReader();
    const plan = prepared(reader, 'filters[name][$eq]=a&sort=name');
    expect(prepared(reader, 'filters[name][$eq]=a&sort=name')).to.equal(plan);
    for (const text of ['filters[name][$eq]=b&sort=name', 'filters[name][$eq]=a&sort=name&withCount=false'])
      expect(prepared(reader, text), text).not.to.equal(plan);
  });

  it('share a renderer if they return the same fields', () => {
    const reader = newReader();
    const shown = (text: string, more?: Partial<QueryRequest>) => {
      const { plan, render } = prepared(reader, text, more);
      return { selection: plan.selection, render: render() };
    };
    const first = shown('filters[name][$eq]=a&fields=name');
    const other = shown('filters[name][$eq]=b&fields=name');
    expect(other.selection).to.equal(first.selection);
    expect(other.render).to.equal(first.render);
    const grants = { version: 'others', allows: () => true };
    for (const [text, more] of [
      ['filters[name][$eq]=b'],
      ['filters[name][$eq]=b&fields=name&status=draft'],
      ['filters[name][$eq]=b&fields=name', { v4: true }],
      ['filters[name][$eq]=b&fields=name', { target: 'single' }],
      ['filters[name][$eq]=b&fields=name', { caller: { grants } satisfies Caller }],
    ] as const)
      expect(shown(text, more).render, text).not.to.equal(first.render);
  });

  it('refuse a parameter even if the plan without it is cached', () => {
    const lenient = newReader();
    prepared(lenient, 'sort=name');
    expect(() => prepared(lenient, 'sort=name&lookup=1')).to.throw("Invalid params: 'lookup'");
    const strict = newReader({ strictParams: true });
    prepared(strict, 'sort=name');
    expect(() => prepared(strict, 'sort=name&_=1')).to.throw('Invalid key _');
  });
});
