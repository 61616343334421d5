import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { messageOf } from '../../src/events/events.js';
import { openStore } from '../../src/store/client.js';
import { desiredIndexes } from '../../src/store/indexes/indexes.js';
import {
  ensureIndexes,
  IndexError,
  indexDrift,
  makeIndexes,
  replaceIndex,
} from '../../src/store/indexes/sync.js';
import { type TestStore, testStore } from '../support/engine.js';
import { schemaOf, typeFile } from '../support/schemas.js';
import { commandOf, startProxy } from '../support/wire-proxy.js';

const schema = schemaOf(
  typeFile(
    'book',
    {
      title: { type: 'string' },
      isbn: { type: 'string', unique: true },
      number: { type: 'integer', unique: true },
      slug: { type: 'uid', targetField: 'title' },
      writer: { type: 'relation', relation: 'manyToOne', target: 'api::writer.writer', inversedBy: 'books' },
      cover: { type: 'media' },
    },
    { draftAndPublish: true, localized: true },
  ),
  typeFile('writer', {
    books: { type: 'relation', relation: 'oneToMany', target: 'api::book.book', mappedBy: 'writer' },
  }),
);
const ofProject = (collection: string): boolean => !collection.startsWith('mangrove.');

describe('indexes', () => {
  let test: TestStore;
  beforeEach(async () => {
    test = await testStore();
  });
  afterEach(() => test.close());
  const books = () => test.store.db.collection('books');

  it('cover identities, references and unique attributes; the latter for published entries only', () => {
    const names = desiredIndexes(schema)
      .filter(({ collection }) => ofProject(collection))
      .map(({ collection, name, options }) => `${collection} ${name}${options.unique ? ' unique' : ''}`);
    const both = [
      'id_1 unique',
      'documentId_1_locale_1 unique',
      'locale_1_id_1',
      'writer_1_id_1',
      'cover_1_id_1',
    ];
    expect(names).to.have.members([
      ...both.map((name) => `books ${name}`),
      ...both.map((name) => `books.drafts ${name}`),
      'books isbn_unique unique',
      'books number_unique unique',
      'books slug_unique unique',
      'books isbn_1_id_1',
      'books number_1_id_1',
      'books slug_1_id_1',
      'books.drafts isbn_1_id_1',
      'books.drafts number_1_id_1',
      'books.drafts slug_1_id_1',
      'writers id_1 unique',
      'writers documentId_1_locale_1 unique',
    ]);
  });

  it('are looked up in a few collections at a time, so that a small pool of connections is enough', async () => {
    const many = schemaOf(...Array.from({ length: 12 }, (_, n) => typeFile(`type${n}`, {})));
    await ensureIndexes(test.store, many);
    let now = 0;
    let most = 0;
    const proxy = await startProxy(test.uri, async (message) => {
      if (commandOf(message) !== 'listIndexes') return 0;
      most = Math.max(most, ++now);
      await sleep(400);
      now -= 1;
      return 0;
    });
    const store = await openStore({ uri: proxy.uri, name: test.name });
    expect((await indexDrift(store, many)).missing).to.deep.equal([]);
    await store.close();
    await proxy.close();
    expect(most).to.be.within(1, 8);
  });

  it('are created once, and show no drift afterwards', async () => {
    expect((await indexDrift(test.store, schema)).missing).to.not.be.empty;
    await ensureIndexes(test.store, schema);
    await ensureIndexes(test.store, schema);
    expect(await indexDrift(test.store, schema)).to.deep.equal({ missing: [], changed: [], extra: [] });
  });

  it('are announced before they are built on a large collection', async () => {
    await books().insertMany([1, 2, 3].map((id) => ({ id, documentId: `b${id}`, locale: 'en' })));
    const messages: string[] = [];
    await ensureIndexes(test.store, schema, (event) => messages.push(messageOf(event)), 3);
    expect(messages, 'not yet').to.deep.equal([]);
    await books().dropIndex('id_1');
    await ensureIndexes(test.store, schema, (event) => messages.push(messageOf(event)), 2);
    expect(messages).to.deep.equal(['building id_1 on the 3 entries of books']);
  });

  it('allow repeated nulls and empty strings, but values only once in each locale', async () => {
    await ensureIndexes(test.store, schema);
    const entry = (id: number, more: object) => ({ id, documentId: `d${id}`, locale: 'en', ...more });
    await books().insertMany([
      entry(1, { isbn: null, number: null, slug: '' }),
      entry(2, { isbn: null, number: null, slug: '' }),
      entry(3, { isbn: 'x', number: 5 }),
      entry(4, { isbn: 'x', number: 5, locale: 'fr' }),
    ]);
    const again = (more: object) =>
      books()
        .insertOne(entry(9, more))
        .then(
          () => null,
          (error: { code: unknown }) => error.code,
        );
    expect(await again({ isbn: 'x' })).to.equal(11000);
    expect(await again({ number: 5 })).to.equal(11000);
    expect(await again({ isbn: 'y', number: 6 })).to.equal(null);
  });

  it('show drift after one was changed, dropped or added manually', async () => {
    await ensureIndexes(test.store, schema);
    await books().dropIndex('writer_1_id_1');
    await books().dropIndex('isbn_unique');
    await books().createIndex({ isbn: 1, locale: 1 }, { name: 'isbn_unique' });
    await books().createIndex({ title: 1 });
    const { missing, changed, extra } = await indexDrift(test.store, schema);
    expect(missing.map(({ name }) => name)).to.deep.equal(['writer_1_id_1']);
    expect(changed.map(({ name }) => name)).to.deep.equal(['isbn_unique']);
    expect(extra.map(({ collection, name }) => `${collection} ${name}`)).to.deep.equal(['books title_1']);
    await makeIndexes(test.store, missing);
    for (const index of changed) await replaceIndex(test.store, index);
    const after = await indexDrift(test.store, schema);
    expect([after.missing, after.changed]).to.deep.equal([[], []]);
  });

  it('may have any name, as long as keys, filter and uniqueness match', async () => {
    await books().createIndex({ id: 1 }, { unique: true, name: 'by_hand' });
    await books().createIndex({ writer: 1, id: 1 }, { unique: true, name: 'too_strict' });
    await books().createIndex(
      { isbn: 1, locale: 1 },
      { unique: true, name: 'isbn_unique', partialFilterExpression: { isbn: { $gt: 'a' } } },
    );
    await ensureIndexes(test.store, schema);
    const drift = await indexDrift(test.store, schema);
    expect(drift.missing).to.deep.equal([]);
    expect(drift.changed.map(({ name, stored }) => [name, stored])).to.deep.equal([
      ['writer_1_id_1', 'too_strict'],
      ['isbn_unique', 'isbn_unique'],
    ]);
    for (const index of drift.changed) await replaceIndex(test.store, index);
    expect(await indexDrift(test.store, schema)).to.deep.equal({ missing: [], changed: [], extra: [] });
  });

  it('of a sharded type are unique only if they start with its shard key', () => {
    const sharded = (shard: unknown) =>
      desiredIndexes(
        schemaOf(
          typeFile(
            'book',
            { isbn: { type: 'string', unique: true } },
            { localized: true, options: { shard } },
          ),
        ),
      )
        .filter(({ collection }) => collection === 'books')
        .map(({ name, options }) => `${name}${options.unique ? ' unique' : ''}`);
    expect(sharded(true)).to.have.members([
      'id_1',
      'documentId_1_locale_1 unique',
      'locale_1_id_1',
      'isbn_1_id_1',
    ]);
    expect(sharded({ locale: 1, documentId: 1 })).to.have.members([
      'id_1',
      'locale_1_documentId_1 unique',
      'documentId_1_locale_1',
      'locale_1_id_1',
      'isbn_1_id_1',
    ]);
  });

  it('serve the inverse side of polymorphic relations', () => {
    const names = desiredIndexes(
      schemaOf(typeFile('note', { of: { type: 'relation', relation: 'morphToMany' } })),
    ).map(({ name }) => name);
    expect(names).to.include('of.documentId_1');
  });

  it('are refused if a collection would have more than 64', async () => {
    const many = Object.fromEntries(
      Array.from({ length: 62 }, (_, n) => [`cover${n}`, { type: 'media', multiple: false }]),
    );
    const problem = await ensureIndexes(test.store, schemaOf(typeFile('book', many))).catch(
      (error: unknown) => error,
    );
    expect(problem).to.be.instanceOf(IndexError);
    expect(String(problem)).to.include(
      'The schema requires 65 indexes on books, and a collection can have at most 64',
    );
  });

  it('report the values that prevent them', async () => {
    await books().insertMany([
      { id: 1, documentId: 'a', locale: 'en', isbn: 'x' },
      { id: 2, documentId: 'b', locale: 'en', isbn: 'x' },
    ]);
    const problem = await ensureIndexes(test.store, schema).catch((error: unknown) => error);
    expect(problem).to.be.instanceOf(IndexError);
    expect(String(problem)).to.include('books contains entries with the same isbn, locale');
  });
});
