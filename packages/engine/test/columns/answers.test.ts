import { type Document, EJSON } from 'bson';
import { expect } from 'chai';
import fc from 'fast-check';
import { createCollection } from '../../src/commands/collections.js';
import { valuesReader } from '../../src/commands/distinct.js';
import type { Engine } from '../../src/engine.js';
import { choosePlan } from '../../src/planner/choose-plan.js';
import { Meter } from '../../src/planner/meter.js';
import type { Query } from '../../src/planner/plan.js';
import { countQuery, runQuery, valuesOfPlan } from '../../src/planner/run-query.js';
import {
  deleteRecord,
  insertRecord,
  prepareDocument,
  storedRecord,
  updateRecord,
} from '../../src/records/records.js';
import type { Batch } from '../../src/storage/batch.js';
import type { CollectionMeta, IndexMeta } from '../../src/storage/catalog.js';
import { keep } from '../../src/storage/codec.js';
import { encodeDocument } from '../../src/storage/encode.js';
import { recordOf, tableRange } from '../../src/storage/layout.js';
import type { Snapshot } from '../../src/storage/reader.js';
import type { Reader } from '../../src/storage/view.js';
import { hashKey } from '../../src/values/hash-key.js';
import { atOnce, PAUSE, unpaced } from '../../src/values/pace.js';
import { ALL_SHORTCUTS } from '../../src/values/shortcuts.js';
import { condition } from '../differential/filters.js';
import { type OwnEngine, openOwnEngine } from '../own-engine.js';
import { anyValue } from '../values/arbitrary.js';

const ROWS = 40;
const RUNS = process.env['MANGROVE_SOAK'] ? 600 : 60;
const TEXTS = [
  '',
  'Kiwi',
  'kiwi',
  'KIWI',
  '\u212aiwi',
  'ki\u017f',
  'É kiwi',
  'a.b',
  'A+b',
  'wiki\0wi',
  '😀 wi',
];

const text = fc.constantFrom(...TEXTS);
const often = <T>(usual: fc.Arbitrary<T>, other: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> =>
  fc.oneof({ weight: 30, arbitrary: usual as fc.Arbitrary<unknown> }, { weight: 1, arbitrary: other });
const document: fc.Arbitrary<Document> = fc.record(
  {
    n: fc.nat(4),
    t: often(text, anyValue),
    v: anyValue,
    o: often(fc.record({ x: often(text, anyValue) }, { requiredKeys: [] }), anyValue),
  },
  { requiredKeys: ['n'] },
);

const escaped = (found: string): string => found.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
const pattern = fc
  .tuple(
    fc.constantFrom('wi', 'K', 'ki', 'S', 'é', 'É', '.', 'a.b', '+', '\ufffd', 'I K', ' ', '😀', 'ſ'),
    fc.constantFrom('', 'i'),
    fc.constantFrom('', '^'),
  )
  .map(([found, $options, start]) => ({ $regex: start + escaped(found), $options }));
const path = fc.constantFrom('n', 't', 'v', 'o', 'o.x', 'v.a', 'none');
const clause: fc.Arbitrary<Document> = fc
  .tuple(
    path,
    fc.oneof(
      condition,
      pattern,
      pattern.map(($not) => ({ $not })),
      text,
      fc.nat(4),
    ),
  )
  .map(([name, request]) => ({ [name]: request }));
const clauses = fc.array(clause, { minLength: 1, maxLength: 3 });
const filter: fc.Arbitrary<Document> = fc.oneof(
  clause,
  ...['$and', '$or', '$nor'].map((name) => clauses.map((all) => ({ [name]: all }))),
  fc.tuple(clause, clauses).map(([one, all]) => ({ $and: [one, { $or: all }] })),
);
/** Any sort, including those that an index supports. */
const sort = fc.option(
  fc.oneof(
    fc.constantFrom<Document[]>({ n: 1 }, { n: -1 }, { n: 1, t: -1 }, { 'o.x': -1 }),
    fc
      .array(fc.tuple(path, fc.constantFrom(1, -1)), { minLength: 1, maxLength: 3 })
      .map((all): Document => Object.fromEntries(all)),
  ),
  { nil: undefined },
);
const query: fc.Arbitrary<Query> = fc.record({
  shortcuts: fc.constant(ALL_SHORTCUTS),
  filter,
  sort,
  skip: fc.constantFrom(undefined, 0, 3),
  limit: fc.constantFrom(undefined, 1, 7, 100),
  collation: fc.constantFrom(undefined, undefined, { locale: 'en', strength: 2 }),
});
const step = fc.oneof(
  document.map((of) => ({ kind: 'insert' as const, of })),
  fc.tuple(fc.nat(ROWS), document).map(([at, of]) => ({ kind: 'update' as const, at, of })),
  fc.nat(ROWS).map((at) => ({ kind: 'delete' as const, at })),
  fc.constant({ kind: 'keep' as const }),
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

/** The distinct values at a path among a query's results, in any order. */
function valuesAt(reader: Reader, collection: CollectionMeta, query: Query, path: string): unknown {
  const reading = { reader, meter: new Meter(undefined), valuesOf: valuesReader(path, ALL_SHORTCUTS) };
  const request = { ...query, sort: undefined, skip: undefined, limit: undefined };
  const plan = choosePlan(reader, collection, request);
  const values = [...valuesOfPlan(reading, plan, request, path)].filter((found) => found !== PAUSE);
  return [...new Set(values.map((found) => hashKey(found)))].map(String).sort();
}

const INDEXES: readonly Document[] = [{ _id: 1 }, { n: 1 }, { n: -1, t: 1 }, { 'o.x': 1 }];

describe('embedded/columns: scans of columns', () => {
  let own: OwnEngine;
  let engine: Engine;
  let collections = 0;
  /** The number of queries that used columns. */
  let answered = 0;
  before(() => {
    own = openOwnEngine({ bytes: 1e6, least: 1 });
    ({ engine } = own);
  });
  after(() => own.close());

  /** A new collection with some indexes. */
  const create = (): Promise<string> =>
    engine.writer.run((batch) => {
      collections += 1;
      const name = `c${collections}`;
      const made = createCollection(batch, 'd', name, {});
      const indexes = INDEXES.slice(1).map(
        (key): IndexMeta => ({
          table: batch.catalog.newTable(),
          spec: { v: 2, key, name: JSON.stringify(key) },
          multikey: [],
        }),
      );
      batch.saveCollection({ ...made, indexes: [...made.indexes, ...indexes] });
      return name;
    });

  const write = (name: string, one: Step, requests: readonly Query[] = []): Promise<void> =>
    engine.writer.run((batch) => {
      writeTo(batch, name, one);
      for (const query of requests) checkAnswers(batch, name, query);
    });

  const writeTo = (batch: Batch, name: string, one: Step): void => {
    const collection = batch.catalog.get('d', name);
    if (collection === undefined || one.kind === 'keep') return;
    if (one.kind === 'insert') {
      const { bytes, document: whole } = prepareDocument(encodeDocument(one.of));
      insertRecord(batch, collection, bytes, whole);
      return;
    }
    const all = [...batch.entries(tableRange(collection.table))];
    const found = all[one.at % Math.max(1, all.length)];
    if (found === undefined) return;
    const old = storedRecord({ record: recordOf(found.key), bytes: found.value });
    if (one.kind === 'delete') deleteRecord(batch, collection, old);
    else
      updateRecord(batch, collection, old, {
        document: { _id: old.document['_id'], ...one.of },
        replaces: true,
      });
  };

  /** The records, the count and the values that a query finds, or the error. */
  const answer = (reader: Reader, name: string, request: Query): unknown => {
    const collection = reader.catalog.get('d', name);
    if (collection === undefined) throw new Error('no collection');
    try {
      const found: unknown[] = [];
      for (const row of unpaced(runQuery(reader, collection, request, new Meter(undefined))))
        found.push(row.record, keep(row.bytes).toString('hex'));
      return [
        found,
        atOnce(countQuery(reader, collection, request, new Meter(undefined))),
        ...['t', 'o.x', 'v'].map((path) => valuesAt(reader, collection, request, path)),
      ];
    } catch (error) {
      return (error as Error).message;
    }
  };

  /** Compares results from columns with results from the records. */
  const checkAnswers = (
    reader: Reader,
    name: string,
    request: Query,
    byRecords = answer(reader, name, request),
  ): void => {
    const { columns } = engine;
    const found = answer(reader, name, { ...request, columns });
    expect(found, EJSON.stringify({ ...request })).to.deep.equal(byRecords);
  };

  it('return what scans of the records do, whatever was written since they were built', async function () {
    this.timeout(600_000);
    await fc.assert(
      fc.asyncProperty(
        fc.array(document, { minLength: 5, maxLength: ROWS }),
        fc.array(query, { minLength: 1, maxLength: 6 }),
        fc.array(step, { maxLength: 12 }),
        async (documents, queries, steps) => {
          const name = await create();
          await engine.writer.run((batch) => {
            for (const of of documents) writeTo(batch, name, { kind: 'insert', of });
          });
          const readers = [engine.snapshot()];
          /** A snapshot stays as it is, and so does what its records answer. */
          const byRecords = new Map<Snapshot, readonly unknown[]>();
          const check = (reader: Snapshot): void => {
            const known = byRecords.get(reader) ?? queries.map((request) => answer(reader, name, request));
            byRecords.set(reader, known);
            for (const [at, request] of queries.entries()) {
              for (let times = 0; times < 3; times++) checkAnswers(reader, name, request, known[at]);
            }
          };
          try {
            check(readers[0] as Snapshot);
            for (const one of steps) {
              await write(name, one, queries);
              const reader = engine.snapshot();
              check(reader);
              if (one.kind === 'keep') readers.push(reader);
              else reader.close();
              for (const old of readers) check(old);
            }
          } finally {
            for (const reader of readers) reader.close();
          }
          answered += engine.columns.size > 0 ? 1 : 0;
        },
      ),
      { numRuns: RUNS },
    );
    expect(answered).to.be.greaterThan(RUNS / 2);
  });
});
