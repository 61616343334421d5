import { expect } from 'chai';
import { MongoClient, MongoServerError } from 'mongodb';
import { createReader } from '../../src/documents/read/create-reader.js';
import { ApiError } from '../../src/errors.js';
import { compileRead } from '../../src/pipeline/compile.js';
import type { RawObject } from '../../src/query/ast.js';
import { textQuery } from '../../src/query/query.js';
import { newTotals } from '../../src/store/connection/totals.js';
import { runCount, runRead } from '../../src/store/reads/read.js';
import { asRefusal } from '../../src/store/reads/read-options.js';
import { budgetOf } from '../support/budget.js';
import { everything, type Reading, readConfig, readingOf, requestFor } from '../support/reading.js';
import { componentFile, schemaOf, typeFile } from '../support/schemas.js';

const schema = schemaOf(
  componentFile('parts.note', { marks: { type: 'json' } }),
  componentFile('parts.toy', {
    name: { type: 'string' },
    marks: { type: 'json' },
    note: { type: 'component', component: 'parts.note' },
    notes: { type: 'component', component: 'parts.note', repeatable: true },
  }),
  typeFile('owner', {
    name: { type: 'string' },
    beasts: { type: 'relation', relation: 'oneToMany', target: 'api::beast.beast', mappedBy: 'keeper' },
  }),
  typeFile('beast', {
    name: { type: 'text' },
    keeper: { type: 'relation', relation: 'manyToOne', target: 'api::owner.owner', inversedBy: 'beasts' },
  }),
  typeFile('pet', {
    name: { type: 'string' },
    facts: { type: 'json' },
    toys: { type: 'component', component: 'parts.toy', repeatable: true },
    owner: { type: 'relation', relation: 'manyToOne', target: 'api::owner.owner' },
  }),
);
const owners = Array.from({ length: 20 }, (_, n) => ({
  id: n,
  documentId: `o${n}`,
  name: n % 2 ? 'odd' : 'even',
}));
const note = (id: number, marks: unknown) => ({ id, marks });
const toy = (id: number, name: string, marks: unknown, inner: unknown) => ({
  id,
  name,
  marks,
  note: inner === null ? null : note(id, inner),
  notes: [note(id * 2, null), note(id * 2 + 1, inner)],
});
/** The toys of a few pets; the others have no list at all. */
const toysOf: Readonly<Record<number, readonly unknown[]>> = {
  1: [toy(1, 'ball', { colour: 'red' }, ['worn']), toy(2, 'rope', { colour: 'blue' }, null)],
  2: [toy(3, 'ball', { colour: 'blue' }, ['new'])],
  3: [toy(4, 'ball', null, null)],
  4: [],
};
const pets = Array.from({ length: 60 }, (_, n) => ({
  id: n,
  documentId: `p${n}`,
  name: `pet ${n}`,
  facts: n % 10 === 0 ? { likes: ['Fish'] } : null,
  ...(toysOf[n] && { toys: toysOf[n] }),
  owner: n % 3 === 0 ? null : `o${n % 20}`,
}));

describe('executing a read', () => {
  let reading: Reading;
  before(async () => {
    reading = await readingOf(schema, { owners, pets });
  });
  after(() => reading.close());

  const prepared = (query: string) =>
    reading.reader.prepare({
      type: reading.type('pet'),
      query: textQuery(query),
      caller: everything,
      target: 'list',
    }).read;
  const ids = (rows: readonly Readonly<Record<string, unknown>>[]): unknown[] => rows.map(({ id }) => id);

  const totals: readonly (readonly [string, number, number])[] = [
    ['', 25, 60],
    ['pagination[page]=3', 10, 60],
    ['pagination[page]=9', 0, 60],
    ['pagination[pageSize]=60', 60, 60],
    ['pagination[pageSize]=100', 60, 60],
    ['filters[name]=pet 7', 1, 1],
    ['filters[name]=nobody', 0, 0],
    ['filters[id][$lt]=40&pagination[pageSize]=30', 30, 40],
    ['filters[id][$lt]=40&pagination[start]=39', 1, 40],
    ['filters[owner][name]=odd&pagination[pageSize]=5', 5, 20],
  ];
  for (const [query, length, total] of totals)
    it(`${query || 'all'}: ${length} of ${total}`, async () => {
      const read = prepared(query);
      // The second run knows from the first whether the page tells the total; for the last run that knowledge is wrong.
      const counting = { canSkipCount: false };
      for (let run = 0; run < 3; run++) {
        if (run === 2) counting.canSkipCount = !counting.canSkipCount;
        const result = await runRead(reading.test, read.compiled, { counting });
        expect([result.rows.length, result.total]).to.deep.equal([length, total]);
      }
      expect(await runCount(reading.test, read.compiled)).to.equal(total);
    });

  it('does not count unless asked', async () => {
    const result = await runRead(reading.test, prepared('pagination[withCount]=false').compiled);
    expect(result.total).to.equal(null);
  });

  it('skips the count if the last page of a similar query told the total', async () => {
    const commands: string[] = [];
    const client = new MongoClient(reading.test.uri, { monitorCommands: true });
    const store = { ...reading.test.store, client, db: client.db(reading.test.name) };
    client.on('commandStarted', ({ commandName, command }) =>
      commands.push(JSON.stringify(command['pipeline'] ?? commandName)),
    );
    try {
      const reader = createReader({ schema, store, config: readConfig() });
      const list = (name: string) => reader.list(requestFor(reading.type('pet'), `filters[name]=${name}`));
      await list('pet 7');
      commands.length = 0;
      expect((await list('pet 8')).pagination?.['total']).to.equal(1);
      expect(commands.filter((text) => text.includes('aggregate') || text.includes('$match'))).to.have.length(
        1,
      );
    } finally {
      await client.close();
    }
  });

  it('returns a page whose total takes too long, marked as inexact', async () => {
    const many = Array.from({ length: 10_000 }, (_, n) => ({
      id: 1000 + n,
      documentId: `m${n}`,
      name: `beast ${n}`,
    }));
    const beasts = reading.test.store.db.collection('beasts');
    await beasts.insertMany(many);
    const slow = {
      ...reading.test.store,
      // The page itself takes long where a server has no index for it and other tests keep it busy.
      maxTimeMS: 150_000,
      totals: newTotals({ maxTimeMS: 1, maxAgeMS: 0 }),
    };
    const reader = createReader({ schema, store: slow, config: readConfig() });
    const query = 'filters[name][$containsi]=Beast&filters[name][$endsWith]=9&pagination[pageSize]=10';
    const list = () => reader.list(requestFor(reading.type('beast'), query));
    expect((await list()).pagination).to.deep.equal({
      page: 1,
      pageSize: 10,
      pageCount: 2,
      total: 11,
      exact: false,
    });
    await beasts.deleteMany({});
  });

  it('caches a total for a while if the settings say so', async () => {
    const store = { ...reading.test.store, totals: newTotals({ maxTimeMS: 30_000, maxAgeMS: 60_000 }) };
    const reader = createReader({ schema, store, config: readConfig() });
    const list = (page: number) =>
      reader.list(
        requestFor(
          reading.type('pet'),
          `filters[id][$lt]=40&pagination[page]=${page}&pagination[pageSize]=10`,
        ),
      );
    expect((await list(1)).pagination)
      .to.deep.include({ total: 40 })
      .and.not.to.have.property('exact');
    expect((await list(2)).pagination).to.deep.include({ total: 40, exact: false });
  });

  it('switches to $lookup if a semi-join finds too many targets', async () => {
    const query = 'filters[owner][name]=odd&pagination[pageSize]=60';
    const { compiled } = prepared(query);
    const plain = await runRead(reading.test, compiled);
    const few = await runRead(
      { store: { ...reading.test.store, maxIds: 3 } },
      compileRead(prepared(query).plan),
    );
    expect(ids(few.rows)).to.deep.equal(ids(plain.rows));
    expect(few.total).to.equal(plain.total);
  });

  it('finds entries without an owner, in both forms', async () => {
    const query = 'filters[owner][name][$null]=true&pagination[pageSize]=60';
    const wanted = pets.filter(({ owner }) => owner === null).map(({ id }) => id);
    for (const maxIds of [0, 10_000]) {
      const { rows } = await runRead(
        { store: { ...reading.test.store, maxIds } },
        compileRead(prepared(query).plan),
      );
      expect(ids(rows)).to.deep.equal(wanted);
    }
  });

  it('searches the text of JSON, and refuses if too much of it matches', async () => {
    const query = 'filters[facts][$containsi]=fISH';
    const { rows } = await runRead(reading.test, prepared(query).compiled);
    expect(ids(rows)).to.deep.equal([0, 10, 20, 30, 40, 50]);
    const refusal = await runRead(
      { store: { ...reading.test.store, maxIds: 3 } },
      prepared(query).compiled,
    ).catch((error: unknown) => error);
    expect(refusal).to.include({ status: 400, name: 'ValidationError' });
  });

  const inLists: readonly (readonly [string, readonly number[]])[] = [
    ['filters[toys][marks][$containsi]=red', [1]],
    ['filters[toys][marks][$notContainsi]=red', [1, 2]],
    ['filters[toys][marks][$containsi]=BLUE&filters[toys][name]=ball', [2]],
    ['filters[toys][note][marks][$containsi]=worn', [1]],
    ['filters[toys][notes][marks][$startsWithi]=["n', [2]],
    ['filters[$not][toys][marks][$containsi]=blue&filters[id][$lt]=4', [1]],
  ];
  for (const [query, found] of inLists)
    it(`searches the text of JSON in component items: ${query}`, async () => {
      const { rows } = await runRead(reading.test, prepared(query).compiled);
      expect(ids(rows)).to.deep.equal(found);
    });

  it('an empty list excludes no JSON value, not even null', async () => {
    const params: RawObject = { filters: { facts: { $notIn: [] } } };
    expect(await reading.reader.count(requestFor(reading.type('pet'), params))).to.equal(60);
  });

  it('shares the plan of a query between documents', async () => {
    const type = reading.type('pet');
    const one = (documentId: string) => reading.reader.one(requestFor(type, 'fields=name'), documentId);
    expect((await one('p7')).data).to.deep.equal({ id: 7, documentId: 'p7', name: 'pet 7' });
    const again = await one('p8');
    expect(again.data).to.include({ name: 'pet 8' });
    expect(again.timings.map(([name]) => name)).to.deep.equal(['read', 'render']);
    expect((await one('nobody')).data).to.equal(null);
  });

  const limits = [
    [50, 'The query took longer than 5000 ms and was stopped'],
    [202, 'The query took longer than 5000 ms and was stopped'],
    [292, 'The query needs more memory than the database allows: sort or populate less at once'],
    [4568, 'An entry is larger than 16 MB with everything it populates: populate less at once'],
  ] as const;
  for (const [code, message] of limits)
    it(`explains code ${code}`, () => {
      const refusal = asRefusal(new MongoServerError({ message: 'of the server', code }), reading.test.store);
      expect(refusal).to.be.instanceOf(ApiError);
      expect(refusal).to.include({ status: 400, message });
    });

  it('passes other errors through', () => {
    const other = new Error('other');
    expect(asRefusal(other, reading.test.store)).to.equal(other);
  });

  it('refuses an entry that is too large with everything that it populates', async () => {
    const large = Array.from({ length: 6 }, (_, n) => ({
      id: 100 + n,
      documentId: `large${n}`,
      name: 'x'.repeat(3_000_000),
      keeper: 'o1',
    }));
    const { db } = reading.test.store;
    await db.collection<{ id: number }>('beasts').insertMany(large);
    const refusal = await reading.reader
      .one(requestFor(reading.type('owner'), 'populate=beasts'), 'o1')
      .catch((error: unknown) => error);
    expect(refusal).to.include({ status: 400, name: 'ApplicationError' });
    const one = await reading.reader.one(requestFor(reading.type('owner'), 'fields=name'), 'o1');
    expect(one.data).to.include({ name: 'odd' });
  });

  it('reads parameters of the Document Service in the same way', async () => {
    const params: RawObject = {
      filters: { owner: { name: { $eq: 'odd' } } },
      fields: ['name'],
      limit: 2,
      start: 1,
    };
    const { data, pagination } = await reading.reader.list(requestFor(reading.type('pet'), params));
    expect(data).to.deep.equal([
      { id: 5, documentId: 'p5', name: 'pet 5' },
      { id: 7, documentId: 'p7', name: 'pet 7' },
    ]);
    expect(pagination).to.equal(null);
    expect(await reading.reader.count(requestFor(reading.type('pet'), params))).to.equal(20);
  });
});

describe('a read in sets that is too large', function () {
  this.timeout(180_000);
  const named = { name: { type: 'string' } };
  const toBook = { type: 'relation', relation: 'manyToOne', target: 'api::book.book' };
  const library = schemaOf(
    typeFile('book', {
      ...named,
      text: { type: 'text' },
      shelves: { type: 'relation', relation: 'oneToMany', target: 'api::shelf.shelf', mappedBy: 'book' },
    }),
    typeFile('shelf', { ...named, book: { ...toBook, inversedBy: 'shelves' } }),
  );
  const COUNT = 20;
  const text = 'x'.repeat(1_000_000);
  const books = Array.from({ length: COUNT }, (_, n) => ({
    ...{ id: n + 1, documentId: `book${n}`, locale: null, name: `book ${n % 7}`, text },
  }));
  const shelves = Array.from({ length: COUNT }, (_, n) => ({
    ...{ id: n + 1, documentId: `shelf${n}`, locale: null, name: `shelf ${n}`, book: `book${n}` },
  }));
  let inSets: Reading;
  before(async () => {
    inSets = await readingOf(library, { books, shelfs: shelves }, 'sets');
  });
  after(() => inSets.close());
  const compiled = (query: string) => {
    const type = inSets.type('shelf');
    return inSets.reader.prepare({ ...requestFor(type, query), target: 'list' }).read.compiled;
  };

  it('runs by the row if its document would exceed 16 MB', async () => {
    const { data } = await inSets.reader.list(requestFor(inSets.type('shelf'), 'populate=book'));
    expect(data.map(({ book }) => (book as { text: string } | null)?.text.length)).to.deep.equal(
      shelves.map(() => text.length),
    );
  });

  /**
   * Reads a page within a request's limits: how many of its books have a text, or the code and setting of the error.
   */
  const within = async (query: string, maxBytes: number): Promise<unknown> => {
    const budget = budgetOf({ limits: { maxRows: 50_000, maxBytes } });
    return inSets.reader.list({ ...requestFor(inSets.type('shelf'), query), budget }).then(
      ({ data }) => data.filter(({ book }) => (book as { text?: string } | null)?.text === text).length,
      (error: { details?: { code?: string; setting?: string } }) => [
        error.details?.code,
        error.details?.setting,
      ],
    );
  };
  const DEFAULT = 16_000_000;

  it('large targets do no harm if little of them is returned, or they fit', async () => {
    expect(await within('populate[book][fields]=name', DEFAULT)).to.equal(0);
    expect(await within('populate=book&pagination[pageSize]=15', DEFAULT)).to.equal(15);
    expect(await within('populate=book&filters[book][name]=book 1', DEFAULT)).to.equal(3);
  });

  it("is refused by the request's limit, and answered if that is larger", async () => {
    expect(await within('populate=book', DEFAULT)).to.deep.equal(['answer-too-large', 'query.maxBytes']);
    expect(await within('populate=book', 4 * DEFAULT)).to.equal(COUNT);
  });

  it('looks up nothing for rows that are none, rather than what refers to nothing', async () => {
    const loose = [98, 99].map((id) => ({ id, documentId: `loose${id}`, name: 'loose', book: null }));
    const kept = inSets.test.store.db.collection<{ id: number }>('shelfs');
    await kept.insertMany(loose);
    const { setJoins, stages } = compiled(
      'filters[name][$startsWith]=loose&populate[book][populate]=shelves',
    );
    const [page] = await kept.aggregate([...stages]).toArray();
    await kept.deleteMany({ id: { $gte: 98 } });
    expect(setJoins.map(({ found }) => page?.[found])).to.deep.equal([[], []]);
  });

  it('sorts by the row if too many entries match', async () => {
    const query = 'sort=book.name:desc&fields=name&pagination[pageSize]=5';
    const read = compiled(query);
    expect(read.ordering).not.to.equal(null);
    const few = await runRead({ store: { ...inSets.test.store, maxIds: 3 } }, read);
    const all = await runRead(inSets.test, compiled(`${query}&x`));
    expect(all.total).to.equal(COUNT);
    expect(few).to.deep.equal(all);
  });
});
