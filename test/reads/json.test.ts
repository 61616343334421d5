import { expect } from 'chai';
import fc from 'fast-check';
import { createReader } from '../../src/documents/read/create-reader.js';
import type { JsonOf, Reader, ReadRequest } from '../../src/documents/read/reader.js';
import type { Store } from '../../src/store/client.js';
import { formsFor } from '../../src/store/connection/engine.js';
import { type TestStore, testStore } from '../support/engine.js';
import { readObjects } from '../support/read-objects.js';
import { everything, queryOf, readConfig } from '../support/reading.js';
import { rounds } from '../support/rounds.js';
import { library, load, type Question, schema, typeOf } from './shops.js';

const RUNS = rounds(3, 15, 'PROPERTY_RUNS');

interface Asked {
  readonly reader: Reader;
  readonly store: Store;
}

type Ask = (asked: Asked, request: ReadRequest) => Promise<string | null>;

/** The response, or why there is none. */
const attempt = (asking: Promise<string | null>): Promise<string | null> =>
  asking.catch((error: unknown) => String(error));

const jsonOf =
  (of: JsonOf): Ask =>
  async ({ reader }, request) => {
    const { json } = await reader.json(request, of);
    return json?.done().toString() ?? null;
  };

const modelOf =
  (of: JsonOf): Ask =>
  async (asked, request) => {
    const data = await readObjects(asked, request, of);
    return JSON.stringify('documentId' in of ? data[0] : data) ?? null;
  };

describe('reads as JSON', function () {
  this.timeout(600_000);
  let test: TestStore;
  let readers: readonly Asked[];
  before(async () => {
    test = await testStore();
    readers = (['rows', 'sets'] as const).map((lookups) => {
      const form = { ...test.store.form, ...formsFor(test.store.engine, lookups) };
      const store = { ...test.store, form };
      return { store, reader: createReader({ schema, store, config: readConfig() }) };
    });
  });
  after(() => test.close());

  const compare = async ({ uid, query }: Question, v4: boolean): Promise<void> => {
    const type = typeOf(uid);
    const request: ReadRequest = { type, query: { ...queryOf(query), mode: 'rest' }, caller: everything, v4 };
    const name = `${uid.split('.')[1]}1`;
    const { sort: _, pagination: __, ...one } = query;
    const asksOne = { ...request, query: { ...queryOf(one), mode: 'rest' as const } };
    const list = { target: 'list' } as const;
    const found = { documentId: name };
    for (const asked of readers) {
      expect(await attempt(jsonOf(list)(asked, request))).to.equal(
        await attempt(modelOf(list)(asked, request)),
      );
      expect(await attempt(jsonOf(found)(asked, asksOne))).to.equal(
        await attempt(modelOf(found)(asked, asksOne)),
      );
    }
  };

  it('are byte for byte the JSON of the model, whose rows are objects', () =>
    fc.assert(
      fc.asyncProperty(library, fc.boolean(), async ({ collections, queries }, v4) => {
        await load(test.store.db, collections);
        for (const each of queries) await compare(each, v4);
      }),
      { numRuns: RUNS, endOnFailure: true },
    ));
});
