import { expect } from 'chai';
import fc from 'fast-check';
import { createReader } from '../../src/documents/read/create-reader.js';
import type { Reader } from '../../src/documents/read/reader.js';
import { formsFor } from '../../src/store/connection/engine.js';
import { type TestStore, testStore } from '../support/engine.js';
import { everything, queryOf, readConfig } from '../support/reading.js';
import { rounds } from '../support/rounds.js';
import { library, load, type Question, schema, typeOf } from './shops.js';

const RUNS = rounds(3, 20, 'PROPERTY_RUNS');

const FORMS = {
  rows: ['rows', true],
  sets: ['sets', true],
  'sets by lists of keys': ['sets', false],
} as const;
type Form = keyof typeof FORMS;

describe('the forms of a read', function () {
  this.timeout(600_000);
  let test: TestStore;
  let readers: Readonly<Record<Form, Reader>>;
  before(async () => {
    test = await testStore();
    const readerIn = (name: Form): Reader => {
      const [lookups, paths] = FORMS[name];
      const forms = formsFor(test.store.engine, lookups);
      const form = { ...test.store.form, ...forms, keyPaths: paths && forms.keyPaths };
      return createReader({ schema, store: { ...test.store, form }, config: readConfig() });
    };
    readers = {
      rows: readerIn('rows'),
      sets: readerIn('sets'),
      'sets by lists of keys': readerIn('sets by lists of keys'),
    };
  });
  after(() => test.close());

  const answer = async (
    reader: Reader,
    { uid, query }: Question,
    mode: 'rest' | 'service',
  ): Promise<string> => {
    const { data, pagination } = await reader
      .list({ type: typeOf(uid), query: { ...queryOf(query), mode }, caller: everything })
      .catch((error: unknown) => ({ data: String(error), pagination: null }));
    return JSON.stringify({ data, pagination }, null, 1);
  };

  it('return the same results, by the row and in sets', () =>
    fc.assert(
      fc.asyncProperty(library, async ({ collections, queries }) => {
        await load(test.store.db, collections);
        for (const each of queries)
          for (const mode of ['rest', 'service'] as const) {
            const { rows, ...others } = readers;
            const byRow = await answer(rows, each, mode);
            for (const [form, reader] of Object.entries(others))
              expect(
                await answer(reader, each, mode),
                `${form}: ${each.uid} ${JSON.stringify(each.query)}`,
              ).to.equal(byRow);
          }
      }),
      { numRuns: RUNS, interruptAfterTimeLimit: 120_000 },
    ));
});
