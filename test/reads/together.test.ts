/** Reads of documents, and writes, that start in the same turn share the command that reads them. */
import { expect } from 'chai';
import { type CommandStartedEvent, MongoClient } from 'mongodb';
import { makeConfig } from '../../src/config/load.js';
import { createReader } from '../../src/documents/read/create-reader.js';
import { FULL_ACCESS } from '../../src/documents/read/script-request.js';
import type { RequestService } from '../../src/documents/request.js';
import { createDocuments } from '../../src/documents/service.js';
import type { Documents } from '../../src/documents/types.js';
import { textQuery } from '../../src/query/query.js';
import type { Caller } from '../../src/query/read-plan.js';
import { batchedLookup } from '../../src/store/connection/batch-per-tick.js';
import { budgetOf } from '../support/budget.js';
import { type TestDocuments, testDocuments } from '../support/documents.js';
import { unhurried } from '../support/engine.js';
import { schemaOf, typeFile } from '../support/schemas.js';
import { AUTHOR, library } from '../support/versions-schema.js';

const READS: ReadonlySet<string> = new Set(['find', 'aggregate']);

describe('documents requested in the same turn', () => {
  let opened: TestDocuments;
  let client: MongoClient;
  let documents: Documents;
  let service: (query: string, data?: object, caller?: Caller) => RequestService;
  const ids: string[] = [];

  before(async () => {
    opened = await testDocuments(library());
    client = new MongoClient(opened.uri, { monitorCommands: true, ignoreUndefined: true });
    const schema = library();
    const db = client.db(opened.name);
    const store = { ...unhurried(opened.store), client, db, lists: db };
    const config = makeConfig('.');
    const reader = createReader({ schema, store, config });
    documents = await createDocuments({ schema, store, config, reader });
    service = (query, data, caller = FULL_ACCESS) =>
      documents(AUTHOR).forRequest({ query: textQuery(query), caller, data, budget: budgetOf() });
    for (let n = 0; n < 12; n++)
      ids.push(String((await service('status=published', { name: `n${n}` }).create()).data?.['documentId']));
  });
  after(async () => {
    await client?.close();
    await opened?.close();
  });

  const commandsOf = async <T>(work: () => Promise<T>): Promise<{ result: T; reads: number }> => {
    let reads = 0;
    const began = ({ commandName }: CommandStartedEvent): void => {
      if (READS.has(commandName)) reads += 1;
    };
    client.on('commandStarted', began);
    const result = await work();
    client.off('commandStarted', began);
    return { result, reads };
  };

  const json = async (query: string, documentId: string, caller?: Caller): Promise<string | null> => {
    const answer = await service(query, undefined, caller).readJson({ documentId });
    return answer.json === null ? null : answer.json.done().toString();
  };

  /** After reads without company, the next one is sent at once; later ones share a command meanwhile. */
  const AT_ONCE = 1;

  it('are read by one command, and each request gets its own', async () => {
    const wanted = [...ids, ids[3] ?? '', 'nobody'];
    const alone: unknown[] = [];
    for (const id of wanted) alone.push(await json('', id));
    const { result, reads } = await commandsOf(() => Promise.all(wanted.map((id) => json('', id))));
    expect(result).to.deep.equal(alone);
    expect(result.map((text) => (text === null ? null : JSON.parse(text).name))).to.deep.equal([
      ...ids.map((_, n) => `n${n}`),
      'n3',
      null,
    ]);
    expect(reads).to.equal(AT_ONCE + 1);
    // These had company, so none is sent before the others.
    expect((await commandsOf(() => Promise.all(wanted.map((id) => json('', id))))).reads).to.equal(1);
  });

  it('are read by one command from another database, too', async () => {
    const storage = { database: `${opened.name}_shops`, id: 'number' };
    const file = { collectionName: 'shops', pluginOptions: { mangrove: { storage } } };
    const schema = schemaOf(typeFile('shop', { name: { type: 'string' } }, { file }));
    const type = schema.contentTypes.get('api::shop.shop');
    if (!type) throw new Error('no shop');
    const shops = client.db(storage.database);
    await shops
      .collection<{ _id: number; name: string }>('shops')
      .insertMany(ids.map((_, n) => ({ _id: n, name: `s${n}` })));
    const store = { ...opened.store, client, db: client.db(opened.name), lists: client.db(opened.name) };
    const content = { ...store.content, client };
    const reader = createReader({ schema, store: { ...store, content }, config: makeConfig('.') });
    const nameOf = async (n: number): Promise<unknown> => {
      const asked = { type, query: textQuery(''), caller: FULL_ACCESS };
      const { json: found } = await reader.json(asked, { documentId: String(n) });
      return found && JSON.parse(found.done().toString()).name;
    };
    expect(await nameOf(0)).to.equal('s0');
    const { result, reads } = await commandsOf(() => Promise.all(ids.map((_, n) => nameOf(n))));
    expect(result).to.deep.equal(ids.map((_, n) => `s${n}`));
    expect(reads).to.equal(AT_ONCE + 1);
    await shops.dropDatabase();
  });

  it('are read separately if requests ask for other fields, versions or rows, or may see others', async () => {
    const grants = (version: string) => ({ grants: { version, allows: () => true } });
    const requests: readonly (readonly [query: string, caller?: Caller])[] = [
      [''],
      ['fields=name'],
      ['status=draft'],
      ['filters[name][$eq]=n2'],
      ['', grants('one')],
      ['', grants('other')],
      ['populate=*'],
    ];
    const some = ids.slice(0, 4);
    const alone: unknown[] = [];
    for (const [query, caller] of requests) for (const id of some) alone.push(await json(query, id, caller));
    const { result, reads } = await commandsOf(() =>
      Promise.all(requests.flatMap(([query, caller]) => some.map((id) => json(query, id, caller)))),
    );
    expect(result).to.deep.equal(alone);
    // The populated ones are read one by one.
    expect(reads).to.equal((requests.length - 1) * (AT_ONCE + 1) + some.length);
  });

  it('are one command for all who look for different unique values', async () => {
    const books = documents('api::book.book');
    for (const n of [1, 2, 3])
      await books.create({ data: { title: `t${n}`, isbn: `i${n}` }, status: 'published' });
    const find = async (isbn: string): Promise<string | undefined> => {
      const query = textQuery(`filters[isbn]=${isbn}&pagination[withCount]=false`);
      const request = books.forRequest({ query, caller: FULL_ACCESS, budget: budgetOf() });
      return (await request.readJson({ target: 'list' })).json?.done().toString();
    };
    const wanted = ['i1', 'i2', 'i3', 'i2', 'none'];
    const alone: unknown[] = [];
    for (const isbn of wanted) alone.push(await find(isbn));
    const { result, reads } = await commandsOf(() => Promise.all(wanted.map(find)));
    expect(result).to.deep.equal(alone);
    expect(result.map((text) => /"title":"(\w+)"/.exec(text ?? '')?.[1])).to.deep.equal([
      't1',
      't2',
      't3',
      't2',
      undefined,
    ]);
    expect(reads).to.equal(AT_ONCE + 1);
  });

  it('are read by one command for writers, each of which finds what was stored before', async () => {
    const write = (id: string, n: number) => service('status=draft', { name: `again ${n}` }).update(id);
    const { result, reads } = await commandsOf(() => Promise.all(ids.map(write)));
    expect(result.map(({ data }) => data?.['name'])).to.deep.equal(ids.map((_, n) => `again ${n}`));
    expect(reads).to.equal(1);
    const [id = ''] = ids;
    await Promise.all([1, 2, 3, 4].map((n) => write(id, n)));
    expect(JSON.parse((await json('status=draft', id)) ?? '{}').name).to.equal('again 4');
  });

  it('are read by each of the writers of one document, which build on one another', async () => {
    const write = (id: string, data: object) => service('status=draft', data).update(id);
    const publish = (id: string, data: object) => service('status=published', data).update(id);
    const [id = '', other = ''] = ids;
    const books = documents('api::book.book');
    const { documentId: made } = await books.create({
      data: { title: 'none', isbn: '0', sold: '9007199254740993' },
    });
    const documentId = String(made);
    const update = (data: object) => () => books.update({ documentId, data });
    const changes = [
      update({ isbn: '1' }),
      update({ price: 1.25, data: { list: [1, { a: null }], at: 5_000_000_000 } }),
      update({ chapters: [{ title: 'first' }], author: other }),
      update({ title: 'last' }),
    ];
    const result = await Promise.all(changes.map((change) => change()));
    expect(result.map((book) => [book?.['isbn'], book?.['title']])).to.deep.equal([
      ['1', 'none'],
      ['1', 'none'],
      ['1', 'none'],
      ['1', 'last'],
    ]);
    const apart = await books.findOne({ documentId, populate: ['chapters', 'author'] });
    expect(apart).to.include({ isbn: '1', title: 'last', sold: '9007199254740993' });
    expect(apart?.['data']).to.deep.equal({ list: [1, { a: null }], at: 5_000_000_000 });
    expect(apart).to.have.nested.property('chapters[0].title', 'first');
    expect(apart).to.have.nested.property('author.documentId', other);

    await Promise.all([
      publish(id, { name: 'one' }),
      write(id, { name: 'two' }),
      publish(id, { name: 'three' }),
    ]);
    expect(JSON.parse((await json('status=draft', id)) ?? '{}').name).to.equal('three');
    expect(JSON.parse((await json('', id)) ?? '{}').name).to.equal('three');
  });

  it('are read again by a writer that started after the last read, since another program may have written after it', async () => {
    const books = documents('api::book.book');
    const { documentId: made } = await books.create({ data: { title: 'none' } });
    const documentId = String(made);
    const update = (data: object) => books.update({ documentId, data });
    let late: Promise<unknown> = Promise.resolve();
    const onSent = ({ commandName }: CommandStartedEvent): void => {
      if (READS.has(commandName)) return;
      client.off('commandStarted', onSent);
      const drafts = client.db(opened.name).collection('books.drafts');
      late = drafts
        .updateOne({ documentId }, { $set: { isbn: 'theirs' } })
        .then(() => update({ title: 'late' }));
    };
    client.on('commandStarted', onSent);
    await Promise.all(Array.from({ length: 30 }, (_, n) => update({ title: `n${n}` })));
    expect(await late).to.include({ isbn: 'theirs', title: 'late' });
  });
});

describe('batchedLookup', () => {
  it('asks for each key once, a few at a time', async () => {
    const batches: (readonly string[])[] = [];
    const find = batchedLookup(async (some: readonly string[]) => {
      batches.push(some);
      return new Map(some.filter((id) => id !== '7').map((id) => [id, `found ${id}`]));
    });
    const wanted = Array.from({ length: 60 }, (_, n) => String(n % 55));
    const found = await Promise.all(wanted.map(find));
    expect(found.map((each) => each?.value)).to.deep.equal(
      wanted.map((id) => (id === '7' ? undefined : `found ${id}`)),
    );
    expect(batches.map(({ length }) => length)).to.deep.equal([50, 10]);
  });

  it('lets a lone caller ask alone, and all of them if they cannot be combined', async () => {
    const find = batchedLookup<string>(() => Promise.reject(new Error('too large')));
    expect(await find('1')).to.equal(null);
    expect(await Promise.all([find('1'), find('2')])).to.deep.equal([null, null]);
  });
});
