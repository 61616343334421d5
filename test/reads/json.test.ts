import { expect } from 'chai';
import fc from 'fast-check';
import { createReader, type JsonOf, type Reader, type ReadRequest } from '../../src/documents/read/reader.js';
import { formsFor } from '../../src/store/connection/engine.js';
import { type TestStore, testStore } from '../support/engine.js';
import { everything, queryOf, readConfig } from '../support/reading.js';
import { library, load, type Question, schema, typeOf } from './shops.js';

const RUNS = Number(process.env['PROPERTY_RUNS'] ?? 15);

type Ask = (reader: Reader, request: ReadRequest) => Promise<string | null>;

/** The response, or why there is none. */
const attempt = (asking: Promise<string | null>): Promise<string | null> =>
  asking.catch((error: unknown) => String(error));

const jsonOf =
  (of: JsonOf): Ask =>
  async (reader, request) => {
    const { json, pagination } = await reader.json(request, of);
    return json && `${json.done().toString()} ${JSON.stringify(pagination)}`;
  };

describe('reads as JSON', function () {
  this.timeout(600_000);
  let test: TestStore;
  let readers: readonly Reader[];
  before(async () => {
    test = await testStore();
    readers = (['rows', 'sets'] as const).map((lookups) => {
      const form = { ...test.store.form, ...formsFor(test.store.engine, lookups) };
      return createReader({ schema, store: { ...test.store, form }, config: readConfig() });
    });
  });
  after(() => test.close());

  const compare = async ({ uid, query }: Question, v4: boolean): Promise<void> => {
    const type = typeOf(uid);
    const request: ReadRequest = { type, query: { ...queryOf(query), mode: 'rest' }, caller: everything, v4 };
    const name = `${uid.split('.')[1]}1`;
    for (const reader of readers) {
      const list = reader
        .list(request)
        .then(({ data, pagination }) => `${JSON.stringify(data)} ${JSON.stringify(pagination)}`);
      expect(await attempt(jsonOf({ target: 'list' })(reader, request))).to.equal(await attempt(list));
      const { sort: _, pagination: __, ...one } = query;
      const asksOne = { ...request, query: { ...queryOf(one), mode: 'rest' as const } };
      const found = reader.one(asksOne, name).then(({ data }) => data && `${JSON.stringify(data)} null`);
      expect(await attempt(jsonOf({ documentId: name })(reader, asksOne))).to.equal(await attempt(found));
    }
  };

  it('are byte for byte what reads as objects return', () =>
    fc.assert(
      fc.asyncProperty(library, fc.boolean(), async ({ collections, queries }, v4) => {
        await load(test.store.db, collections);
        for (const each of queries) await compare(each, v4);
      }),
      { numRuns: RUNS, endOnFailure: true },
    ));
});
