/** Reads that differ in the value that they look for: combined in one command, each finds what it would find alone. */
import { expect } from 'chai';
import fc from 'fast-check';
import { type CommandStartedEvent, MongoClient } from 'mongodb';
import { makeConfig } from '../../src/config/load.js';
import { createReader } from '../../src/documents/read/create-reader.js';
import type { Reader } from '../../src/documents/read/reader.js';
import { FULL_ACCESS } from '../../src/documents/read/script-request.js';
import { textQuery } from '../../src/query/query.js';
import { newTotals } from '../../src/store/connection/totals.js';
import { budgetOf } from '../support/budget.js';
import { type TestDocuments, testDocuments } from '../support/documents.js';
import { rounds } from '../support/rounds.js';
import { library } from '../support/versions-schema.js';

const RUNS = rounds(6, 30, 'PROPERTY_RUNS');

/** Possible values of a field that text is looked for in, including those written by other programs. */
const TEXTS = ['a', 'A', 'á', 'b', '', 'a\0', '\u{1f600}', '�'];
const stored = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...TEXTS) },
  fc.constantFrom(null, 1, undefined, ['a', 'b'], ['a', 1], []),
);
const looked = fc.constantFrom(...TEXTS.filter((text) => text !== '' && !text.includes('\0')));
const ids = (prefix: string) => fc.integer({ min: 0, max: 3 }).map((n) => `${prefix}${n}`);
const authors = fc.array(stored, { maxLength: 4 });
const books = fc.array(
  fc.record({
    title: stored,
    author: fc.option(ids('author')),
    tags: fc.array(ids('tag'), { maxLength: 3 }),
  }),
  { maxLength: 12 },
);
const eq = (path: string) => looked.map((text) => `filters${path}[$eq]=${encodeURIComponent(text)}`);
const filter = fc.oneof(
  eq('[title]'),
  eq('[author][name]'),
  eq('[tags][name]'),
  looked.map((text) => `filters[title][$in][0]=${encodeURIComponent(text)}&filters[title][$in][1]=b`),
  fc.tuple(eq('[title]'), eq('[author][name]')).map((both) => both.join('&')),
);
const asking = fc.record({
  filters: fc.array(filter, { minLength: 2, maxLength: 12 }),
  rest: fc.constantFrom(
    '',
    '&sort=title:desc',
    '&pagination[pageSize]=2',
    '&fields=isbn',
    '&pagination[page]=2&pagination[pageSize]=1',
    '&pagination[withCount]=false',
    '&populate=author',
  ),
});

describe('reads that look for different values in the same turn', function () {
  this.timeout(180_000);
  let opened: TestDocuments;
  let client: MongoClient;
  let reader: Reader;
  const schema = library();
  const type = schema.contentTypes.get('api::book.book');

  before(async () => {
    opened = await testDocuments(schema);
    client = new MongoClient(opened.uri, { monitorCommands: true, ignoreUndefined: true });
  });
  // Whether the first of several reads waits for the others depends on what was read through the same `Db` before.
  beforeEach(() => {
    const db = client.db(opened.name);
    const store = {
      ...opened.store,
      client,
      db,
      lists: db,
      totals: newTotals({ maxTimeMS: 5000, maxAgeMS: 0 }),
    };
    reader = createReader({ schema, store, config: makeConfig('.') });
  });
  after(async () => {
    await client?.close();
    await opened?.close();
  });

  const ask = async (query: string): Promise<string> => {
    if (!type) throw new Error('no such type');
    const request = { type, query: textQuery(query), caller: FULL_ACCESS, budget: budgetOf() };
    const { json, pagination } = await reader.json(request, { target: 'list' });
    return `${json?.done().toString()} ${JSON.stringify(pagination)}`;
  };
  const load = async (collection: string, rows: readonly object[]): Promise<void> => {
    await client.db(opened.name).collection(collection).deleteMany({});
    if (rows.length > 0)
      await client
        .db(opened.name)
        .collection(collection)
        .insertMany(rows.map((row) => ({ ...row, locale: null })));
  };
  const loadAll = async (names: readonly unknown[], rows: readonly object[]): Promise<void> => {
    await load(
      'authors',
      names.map((name, n) => ({ id: n, documentId: `author${n}`, name })),
    );
    await load(
      'tags',
      ['a', 'b', 'á', 'A'].map((name, n) => ({ id: n, documentId: `tag${n}`, name })),
    );
    await load(
      'books',
      rows.map((row, n) => ({ id: n, documentId: `book${n}`, isbn: `i${n}`, ...row })),
    );
  };
  const countReads = async <T>(work: () => Promise<T>): Promise<{ result: T; reads: number }> => {
    let reads = 0;
    const began = ({ commandName }: CommandStartedEvent): void => {
      if (commandName === 'aggregate') reads += 1;
    };
    client.on('commandStarted', began);
    const result = await work();
    client.off('commandStarted', began);
    return { result, reads };
  };

  it('find what they would find alone', () =>
    fc.assert(
      fc.asyncProperty(authors, books, asking, async (names, rows, { filters, rest }) => {
        await loadAll(names, rows);
        const queries = filters.map((each) => `${each}${rest}`);
        const alone: string[] = [];
        for (const query of queries) alone.push(await ask(query));
        expect(await Promise.all(queries.map(ask))).to.deep.equal(alone);
      }),
      { numRuns: RUNS, endOnFailure: true },
    ));

  it('use one command for the targets and one for the pages', async () => {
    await loadAll(
      ['n0', 'n1', 'n2'],
      Array.from({ length: 6 }, (_, n) => ({ title: `t${n}`, author: `author${n % 3}` })),
    );
    const pages = ['n0', 'n1', 'n2', 'none'].map(
      (name) => `filters[author][name][$eq]=${name}&pagination[withCount]=false`,
    );
    const { result, reads } = await countReads(() => Promise.all(pages.map(ask)));
    expect(result.map((text) => text.match(/"t\d"/g)?.join() ?? '')).to.deep.equal([
      '"t0","t3"',
      '"t1","t4"',
      '"t2","t5"',
      '',
    ]);
    expect(reads).to.equal(2);
  });

  it('run separately if they find more than can be distinguished, and for a while afterwards', async () => {
    await loadAll(
      [],
      Array.from({ length: 1100 }, (_, n) => ({ title: `t${n % 2}` })),
    );
    const pages = ['t0', 't1'].map((title) => `filters[title][$eq]=${title}&pagination[withCount]=false`);
    const first = await countReads(() => Promise.all(pages.map(ask)));
    expect(first.reads).to.equal(3);
    expect(first.result.map((text) => text.match(/"t\d"/g)?.length)).to.deep.equal([25, 25]);
    const second = await countReads(() => Promise.all(pages.map(ask)));
    expect(second).to.deep.equal({ result: first.result, reads: 2 });
  });
});
