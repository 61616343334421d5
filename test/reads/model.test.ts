import { expect } from 'chai';
import fc from 'fast-check';
import { createReader } from '../../src/documents/read/create-reader.js';
import type { Reader } from '../../src/documents/read/reader.js';
import { compileRead } from '../../src/pipeline/compile.js';
import { paramsQuery } from '../../src/query/query.js';
import type { ContentType, Schema } from '../../src/schema/types.js';
import { runRead } from '../../src/store/reads/read.js';
import { type TestStore, testStore } from '../support/engine.js';
import { everything, readConfig } from '../support/reading.js';
import { rounds } from '../support/rounds.js';
import {
  type Content,
  content,
  librarySchema,
  type Row,
  stored,
  type TypeName,
  type Version,
} from './model/content.js';
import { type Filter, firstOf, matches, order, sortValues } from './model/evaluate.js';
import { filterOf, type Sort, sortOf } from './model/query.js';

const RUNS = rounds(8, 60, 'PROPERTY_RUNS');

describe('reads compared with an evaluator written from the specification', function () {
  this.timeout(180_000);
  let store: TestStore;
  let reader: Reader;
  const schema: Schema = librarySchema();

  before(async () => {
    store = await testStore();
    reader = createReader({ schema, store: store.store, config: readConfig() });
  });
  after(() => store.close());

  const load = async (all: Content): Promise<void> => {
    for (const [name, rows] of stored(all, schema)) {
      const collection = store.store.db.collection(name);
      await collection.deleteMany({});
      if (rows.length > 0) await collection.insertMany(rows);
    }
  };
  const typeOf = (name: TypeName): ContentType => {
    const type = schema.contentTypes.get(`api::${name}.${name}`);
    if (!type) throw new Error(name);
    return type;
  };
  const here = (model: TypeName, row: Row, version: Version) => ({
    model,
    row,
    versions: model === 'label' ? (['draft', 'published'] as const) : [version],
  });
  const rowsOf = (all: Content, model: TypeName, version: Version): readonly Row[] =>
    all[model][model === 'label' ? 'published' : version];

  const query = fc.constantFrom<TypeName[]>('book', 'book', 'writer', 'label').chain((model) =>
    fc.record({
      model: fc.constant(model),
      version: fc.constantFrom<Version[]>('draft', 'published'),
      filters: filterOf(model, 3),
      sort: sortOf(model),
    }),
  );
  interface Asked {
    readonly model: TypeName;
    readonly version: Version;
    readonly filters: Filter;
    readonly sort: readonly Sort[];
  }

  const expected = (all: Content, { model, version, filters, sort }: Asked): readonly unknown[] =>
    rowsOf(all, model, version)
      .filter((row) => matches(all, filters, here(model, row, version)))
      .map((row) => ({
        id: Number(row['id']),
        keys: sort.map(({ path, direction }) =>
          firstOf(sortValues(all, path, here(model, row, version)), direction),
        ),
      }))
      .sort((a, b) => {
        for (const [index, { direction }] of sort.entries()) {
          const difference = order(a.keys[index] ?? null, b.keys[index] ?? null) * direction;
          if (difference !== 0) return difference;
        }
        return a.id - b.id;
      })
      .map(({ id }) => id);

  const params = ({ version, filters, sort }: Asked) => ({
    status: version,
    filters,
    fields: ['id'],
    // A page may be read in sets, a list without a limit is not.
    limit: 100,
    sort: sort.map(({ path, direction }) => `${path.join('.')}:${direction === 1 ? 'asc' : 'desc'}`),
  });

  const answers = async (all: Content, request: Asked): Promise<void> => {
    const type = typeOf(request.model);
    const { read } = reader.prepare({
      type,
      query: paramsQuery(params(request)),
      caller: everything,
      target: 'list',
    });
    const byIds = await runRead({ store: store.store }, read.compiled);
    const byLookup = await runRead({ store: { ...store.store, maxIds: 0 } }, compileRead(read.plan));
    const want = expected(all, request);
    expect(
      byIds.rows.map(({ id }) => Number(id)),
      'by ids',
    ).to.deep.equal(want);
    expect(
      byLookup.rows.map(({ id }) => Number(id)),
      'by $lookup',
    ).to.deep.equal(want);
    expect(
      await reader.count({ type, query: paramsQuery(params(request)), caller: everything }),
      'count',
    ).to.equal(want.length);
  };

  /** Content takes longer to load than to query, so it is used for several queries. */
  const queries = fc.array(query, { minLength: 8, maxLength: 8 });

  it('return the same entries in the same order, by ids and by $lookup', () =>
    fc.assert(
      fc.asyncProperty(content, queries, async (all, request) => {
        await load(all);
        for (const each of request) await answers(all, each);
      }),
      { numRuns: RUNS, interruptAfterTimeLimit: 60_000 },
    ));
});
