import { expect } from 'chai';
import { MongoClient } from 'mongodb';
import { makeConfig } from '../../src/config/load.js';
import { createReader } from '../../src/documents/read/create-reader.js';
import { createDocuments } from '../../src/documents/service.js';
import type { Documents } from '../../src/documents/types.js';
import { type TestDocuments, testDocuments } from '../support/documents.js';
import { settled, unhurried } from '../support/engine.js';
import { AUTHOR, BOOK, HOME, KIND, library, TAG } from '../support/versions-schema.js';

/** Writers on one deployment, each with its own connection and its own sequences, as separate processes would have. */
async function openSecond({ store, uri, name }: TestDocuments) {
  const client = new MongoClient(uri, { monitorCommands: true, ignoreUndefined: true });
  const schema = library();
  const other = { ...unhurried(store), client, db: client.db(name), close: () => client.close() };
  const config = makeConfig('.');
  const reader = createReader({ schema, store: other, config });
  return { client, documents: await createDocuments({ schema, store: other, config, reader }) };
}

describe('concurrent writes', () => {
  let opened: TestDocuments;
  let second: { client: MongoClient; documents: Documents };
  before(async () => {
    opened = await testDocuments(library());
    second = await openSecond(opened);
  });
  after(async () => {
    await second.client.close();
    await opened.close();
  });

  const both = (at: number): Documents => (at % 2 === 0 ? opened.documents : second.documents);
  const make = async (uid: string, data: object, status = 'published'): Promise<string> =>
    String((await opened.documents(uid).create({ data, status }))['documentId']);

  it('one of 50 publishes of the same unique value wins, and the others get an error', async () => {
    const drafts = await Promise.all(
      Array.from({ length: 50 }, (_, at) => make(BOOK, { title: `t${at}`, isbn: 'one and only' }, 'draft')),
    );
    const results = await Promise.all(
      drafts.map((documentId, at) =>
        both(at)(BOOK)
          .publish?.({ documentId })
          .then(
            () => 'published',
            ({ status, message, details }) => `${status} ${message} ${details.errors[0].path}`,
          ),
      ),
    );
    expect(results.filter((result) => result === 'published')).to.have.length(1);
    expect(new Set(results)).to.deep.equal(new Set(['published', '400 This attribute must be unique isbn']));
    expect(
      await opened.documents(BOOK).count({ status: 'published', filters: { isbn: 'one and only' } }),
    ).to.equal(1);
  });

  it('values of every type may be unique; null and the empty string never conflict', async () => {
    const values = {
      count: 5,
      big: '9007199254740993',
      price: 1.25,
      at: '2024-01-02T03:04:05.000Z',
      day: '2024-01-02',
      slug: 'a-b',
    };
    await make(KIND, values);
    for (const [name, value] of Object.entries(values)) {
      const refused = await make(KIND, { [name]: value }).catch(({ details }) => details.errors);
      expect(refused, name).to.be.an('array');
      expect(
        refused.map(({ path, message }: { path: string[]; message: string }) => `${path} ${message}`),
      ).to.deep.equal([`${name} This attribute must be unique`]);
    }
    const empty = { count: null, big: null, price: null, at: null, day: null, slug: '' };
    for (let times = 0; times < 2; times++) expect(await make(KIND, empty)).to.be.a('string');
  });

  it('unique values in components are checked within the entry and against others', async () => {
    const note = (...codes: string[]) => ({
      title: 'n',
      chapters: [{ title: 'c', notes: codes.map((code) => ({ code })) }],
    });
    const refused = (data: object) =>
      make(BOOK, data).then(
        () => [],
        ({ details }) => details.errors.map(({ path }: { path: string[] }) => path.join('.')),
      );
    expect(await refused(note('x', 'y', 'x'))).to.deep.equal([
      'chapters.0.notes.0.code',
      'chapters.0.notes.2.code',
    ]);
    expect(await refused(note('a', 'b'))).to.deep.equal([]);
    expect(await refused(note('c', 'b'))).to.deep.equal(['chapters.0.notes.1.code']);
    const zone = (code: string) => ({ title: 'z', zone: [{ __component: 'part.note', code }] });
    expect(await refused(zone('a'))).to.deep.equal([]);
    expect(await refused(zone('a'))).to.deep.equal(['zone.0.code']);
    const draft = await make(BOOK, note('b'), 'draft');
    expect(draft, 'drafts may have duplicates').to.be.a('string');
  });

  it('no update of a document is lost', async () => {
    const tags = await Promise.all(Array.from({ length: 20 }, (_, at) => make(TAG, { name: `lost ${at}` })));
    const documentId = await make(BOOK, { title: 'busy' });
    await Promise.all(
      tags.map((tag, at) =>
        both(at)(BOOK).update({
          documentId,
          data: { tags: { connect: [tag] } },
          status: at % 3 === 0 ? 'draft' : 'published',
        }),
      ),
    );
    const draft = await opened.documents(BOOK).findOne({ documentId, populate: ['tags'] });
    expect(draft?.['tags']).to.have.length(20);
  });

  it('both ends of a relation may be written at once', async () => {
    const tag = await make(TAG, { name: 'shared' });
    const books = await Promise.all(Array.from({ length: 10 }, (_, at) => make(BOOK, { title: `b${at}` })));
    await Promise.all([
      ...books
        .slice(0, 5)
        .map((book, at) => both(at)(TAG).update({ documentId: tag, data: { books: { connect: [book] } } })),
      ...books
        .slice(5)
        .map((documentId, at) =>
          both(at)(BOOK).update({ documentId, data: { tags: { connect: [tag] } }, status: 'published' }),
        ),
      ...books.map((documentId, at) =>
        both(at)(BOOK).update({ documentId, data: { title: `c${at}` }, status: 'published' }),
      ),
    ]);
    for (const status of ['draft', 'published']) {
      const found = await opened.documents(TAG).findOne({ documentId: tag, status, populate: ['books'] });
      const titles = ((found?.['books'] ?? []) as { title: string }[]).map(({ title }) => title).sort();
      expect(titles, status).to.deep.equal(Array.from({ length: 10 }, (_, at) => `c${at}`));
    }
  });

  it('a single type never has two documents', async () => {
    const put = (at: number) =>
      both(at)(HOME).create({ data: { title: `h${at}` }, locale: at % 3 ? 'en' : 'fr', status: 'published' });
    for (const round of [1, 2]) {
      const made = await Promise.all(Array.from({ length: 12 }, (_, at) => put(at)));
      expect(new Set(made.map(({ documentId }) => documentId)).size, `round ${round}`).to.equal(1);
      expect(await opened.documents(HOME).count({ locale: '*', status: 'published' })).to.equal(2);
      await opened.documents(HOME).delete({ documentId: String(made[0]?.['documentId']), locale: '*' });
      expect(await opened.documents(HOME).findFirst({ locale: '*' })).to.equal(null);
    }
  });

  it("a single type's document is the claimed one, until the type has entries of another", async () => {
    const claims = opened.store.db.collection<{ _id: string; owner: string }>('mangrove.claims');
    const _id = `${HOME}//document`;
    const noted = async () => (await claims.findOne({ _id }))?.owner;
    await claims.insertOne({ _id, owner: 'noted' });
    const home = await opened.documents(HOME).create({ data: { title: 'h' }, locale: 'en' });
    expect(home['documentId']).to.equal('noted');
    await claims.updateOne({ _id }, { $set: { owner: 'stale' } });
    await opened.documents(HOME).update({ documentId: 'noted', data: { title: 'f' }, locale: 'fr' });
    expect(await noted()).to.equal('noted');
    await opened.documents(HOME).delete({ documentId: 'noted', locale: '*' });
    expect(await noted()).to.equal(undefined);
  });

  it('ids are never assigned twice', async () => {
    const made = await Promise.all(
      Array.from({ length: 80 }, (_, at) =>
        both(at)(AUTHOR).create({ data: { name: `a${at}` }, status: 'published' }),
      ),
    );
    expect(new Set(made.map(({ id }) => id)).size).to.equal(80);
  });

  it('a reader sees the old or the new published entry, never none and never a mixture', async () => {
    const documentId = await make(BOOK, { title: '0', data: { at: '0' }, chapters: [{ title: '0' }] });
    let writing = true;
    const seen = new Set<string>();
    const read = async (): Promise<void> => {
      while (writing) {
        const entry = await second
          .documents(BOOK)
          .findOne({ documentId, status: 'published', populate: ['chapters'] });
        const [chapter] = (entry?.['chapters'] ?? []) as { title: string }[];
        seen.add(JSON.stringify([entry?.['title'], entry?.['data'], chapter?.title]));
      }
    };
    const readers = [read(), read()];
    for (let at = 1; at <= 30; at++) {
      const data = { title: String(at), data: { at: String(at) }, chapters: [{ title: String(at) }] };
      await opened.documents(BOOK).update({ documentId, data, status: 'published' });
    }
    writing = false;
    await Promise.all(readers);
    for (const text of seen) {
      const [title, data, chapter] = JSON.parse(text);
      expect([data?.at, chapter], text).to.deep.equal([title, title]);
    }
  });

  it('a write takes the same round trips, however many references to the document exist', async () => {
    const author = await make(AUTHOR, { name: 'popular' });
    await Promise.all(Array.from({ length: 60 }, (_, at) => make(BOOK, { title: `by ${at}`, author })));
    const { setName } = await opened.store.db.command({ hello: 1 });
    // In any order: what follows the response is sent next to the reads for it. commands.test.ts checks the order.
    const sorted = (commands: readonly string[]): string => [...commands].sort().join(' ');
    const commandsOf = async (write: () => Promise<unknown>): Promise<string> => {
      await write();
      await settled(opened.store);
      const commands: string[] = [];
      const note = ({ commandName }: { commandName: string }) => commands.push(commandName);
      second.client.on('commandStarted', note);
      await write();
      await settled(opened.store);
      second.client.off('commandStarted', note);
      return sorted(commands);
    };
    const authors = second.documents(AUTHOR);
    const data = { name: 'more popular' };
    // What is stored is read, then the entries and the change are written. A response without relations is what was
    // written.
    const written = (...entries: string[]): string =>
      opened.store.writesAtOnce
        ? 'find bulkWrite'
        : opened.store.writesAcross && setName
          ? 'find bulkWrite commitTransaction'
          : setName
            ? ['find', ...entries, 'insert commitTransaction'].join(' ')
            : // Without transactions: the journal entry before, the change once however many attempts it takes, the journal entry removed afterwards.
              ['find insert', ...entries, 'update delete'].join(' ');
    // The draft too, so that discarding or deleting it at the same moment causes a conflict.
    const sent = async (write: () => Promise<unknown>, expected: string): Promise<void> => {
      expect(await commandsOf(write)).to.equal(sorted(expected.split(' ')));
    };
    await sent(async () => authors.publish?.({ documentId: author }), `find ${written('update', 'update')}`);
    await sent(() => authors.update({ documentId: author, data }), written('update'));
    await sent(
      () => authors.update({ documentId: author, data, status: 'published' }),
      `find ${written('update', 'update')}`,
    );
  });
});
