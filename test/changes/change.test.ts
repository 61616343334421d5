/** What a change says: the versions with their revisions, who made it, and what a write changed besides. */

import { expect } from 'chai';
import type { Documents } from '../../src/documents/types.js';
import { openStore, type Store } from '../../src/store/client.js';
import { type Change, currentPosition, readChanges } from '../../src/store/outbox/read-changes.js';
import { type TestDocuments, testDocuments } from '../support/documents.js';
import { settled } from '../support/engine.js';
import { schemaOf, typeFile } from '../support/schemas.js';
import { send } from '../support/send.js';
import { startTestServer, type TestServer } from '../support/test-server.js';
import { startProxy } from '../support/wire-proxy.js';

const NOTE = 'api::note.note';
const AUTHOR = 'api::author.author';
const localized = { pluginOptions: { i18n: { localized: true } } };
const schema = schemaOf(
  typeFile(
    'note',
    {
      title: { type: 'string', ...localized },
      code: { type: 'string' },
      author: { type: 'relation', relation: 'manyToOne', target: AUTHOR, inversedBy: 'notes' },
    },
    { draftAndPublish: true, localized: true },
  ),
  typeFile('author', {
    name: { type: 'string' },
    notes: { type: 'relation', relation: 'oneToMany', target: NOTE, mappedBy: 'author' },
  }),
);

/** The changes after a position, up to the last of so many. */
async function changesAfter(
  store: Store,
  after: string,
  count: number,
  uids?: readonly string[],
): Promise<Change[]> {
  const changes: Change[] = [];
  for await (const change of readChanges(store, { after, every: 5, ...(uids && { uids }) }))
    if (changes.push(change) === count) break;
  return changes;
}

describe('a change', () => {
  let opened: TestDocuments;
  before(async () => {
    opened = await testDocuments(schema, {
      plugins: { i18n: { defaultLocale: 'en', locales: ['en', 'fr'] } },
    });
  });
  after(() => opened.close());

  /** The changes that `work` makes: those of the outbox, however many. */
  const changesOf = async (work: (documents: Documents) => Promise<unknown>): Promise<Change[]> => {
    const outbox = opened.store.db.collection('mangrove.outbox');
    const [after, before] = [await currentPosition(opened.store), await outbox.countDocuments()];
    await work(opened.documents);
    await settled(opened.store);
    return changesAfter(opened.store, after, (await outbox.countDocuments()) - before);
  };

  it('names the versions, whose revisions follow on each other', async () => {
    let documentId = '';
    const changes = await changesOf(async (documents) => {
      const notes = documents(NOTE);
      documentId = String((await notes.create({ data: { title: 'a' } }))['documentId']);
      await notes.update({ documentId, data: { title: 'b' } });
      await notes.publish?.({ documentId });
      await notes.update({ documentId, data: { title: 'c' }, status: 'published' });
      await notes.unpublish?.({ documentId });
      await notes.delete({ documentId });
    });
    expect(
      changes.map(({ event, versions }) => [
        event,
        versions
          .map(({ status }) => status)
          .sort()
          .join(),
      ]),
    ).to.deep.equal([
      ['entry.create', 'draft'],
      ['entry.update', 'draft'],
      ['entry.publish', 'draft,published'],
      ['entry.update', 'draft,published'],
      ['entry.publish', 'draft,published'],
      ['entry.unpublish', 'draft,published'],
      ['entry.delete', 'draft'],
    ]);
    for (const change of changes)
      expect(change).to.deep.include({
        uid: NOTE,
        documentId,
        locale: 'en',
        indirect: false,
        requestId: null,
      });
    for (const status of ['draft', 'published']) {
      let last: string | null = null;
      // An update that publishes is two changes of one write.
      const own = changes
        .filter(({ event }, at) => !(event === 'entry.publish' && changes[at - 1]?.versions.length === 2))
        .flatMap(({ versions }) => versions.filter((version) => version.status === status));
      for (const { before, after } of own) {
        expect(before, status).to.equal(last);
        expect(after, status).to.not.equal(before);
        last = after;
      }
      expect(last, status).to.equal(null);
    }
  });

  it('is also of the entries that a write changed besides its own, and says so', async () => {
    let [noteId, authorId] = ['', ''];
    const changes = await changesOf(async (documents) => {
      const notes = documents(NOTE);
      noteId = String((await notes.create({ data: { title: 'a', code: '1' } }))['documentId']);
      await notes.update({ documentId: noteId, locale: 'fr', data: { title: 'b' } });
      await notes.update({ documentId: noteId, data: { code: '2' } });
      authorId = String((await documents(AUTHOR).create({ data: { name: 'Ann' } }))['documentId']);
      await documents(AUTHOR).update({ documentId: authorId, data: { notes: [noteId] } });
    });
    const shown = changes.map(({ event, documentId, locale, indirect }) => [
      event,
      documentId === noteId ? 'note' : 'author',
      locale,
      indirect,
    ]);
    const [creates, shared, related] = [shown.slice(0, 2), shown.slice(2, 4), shown.slice(4)];
    expect(creates).to.deep.equal([
      ['entry.create', 'note', 'en', false],
      ['entry.create', 'note', 'fr', false],
    ]);
    expect(shared).to.deep.equal([
      ['entry.update', 'note', 'en', false],
      ['entry.update', 'note', 'fr', true],
    ]);
    expect(related.slice(0, 2)).to.deep.equal([
      ['entry.create', 'author', null, false],
      ['entry.update', 'author', null, false],
    ]);
    expect(related.slice(2)).to.deep.include(['entry.update', 'note', 'en', true]);
  });

  it('is read with those of its content type alone', async () => {
    const after = await currentPosition(opened.store);
    for (const name of ['a', 'b', 'c']) {
      await opened.documents(NOTE).create({ data: { title: name } });
      await opened.documents(AUTHOR).create({ data: { name } });
    }
    await settled(opened.store);
    const authors = await changesAfter(opened.store, after, 3, [AUTHOR]);
    expect(authors.map(({ uid }) => uid)).to.deep.equal([AUTHOR, AUTHOR, AUTHOR]);
    const [, second] = authors;
    const rest = await changesAfter(opened.store, second?.position ?? '', 2, [AUTHOR, NOTE]);
    expect(rest.map(({ uid }) => uid)).to.deep.equal([NOTE, AUTHOR]);
  });

  it('is not missed while connections are cut', async () => {
    const proxy = await startProxy(opened.uri);
    const beside = await openStore({ uri: proxy.uri, name: opened.name });
    const ending = new AbortController();
    const read: (string | null)[] = [];
    try {
      const after = await currentPosition(opened.store);
      const reading = (async () => {
        for await (const { documentId } of readChanges(beside, { after, signal: ending.signal, every: 5 })) {
          read.push(documentId);
          if (read.length === 40) return;
        }
      })();
      const made: string[] = [];
      for (let number = 0; number < 40; number++) {
        if (number % 10 === 5) proxy.cutAll();
        const { documentId } = await opened.documents(AUTHOR).create({ data: { name: `${number}` } });
        made.push(String(documentId));
      }
      await settled(opened.store);
      await reading;
      expect(read).to.deep.equal(made);
    } finally {
      ending.abort();
      await beside.close();
      await proxy.close();
    }
  });
});

describe('who made a change', () => {
  const MEMO = 'api::memo.memo';
  let server: TestServer;
  before(async () => {
    server = await startTestServer({
      roles: { public: [`${MEMO}.create`], authenticated: [`${MEMO}.create`] },
    });
  });
  after(() => server.close());

  const madeBy = async (work: () => Promise<unknown>): Promise<Pick<Change, 'by' | 'requestId'>> => {
    const { store } = server.project;
    const after = await currentPosition(store);
    await work();
    await settled(store);
    const [change] = await changesAfter(store, after, 1);
    if (!change) throw new Error('no change');
    return { by: change.by, requestId: change.requestId };
  };
  const post = (id: string, token?: string) =>
    send(server.url, '/api/memos', {
      body: { data: { title: id } },
      headers: { 'x-request-id': id },
      token,
    });

  it('is the caller of the request, or a script', async () => {
    const { access, documents } = server.project;
    const { key } = await access.tokens.create({ name: 'website', type: 'full-access' });
    const registered = await send(server.url, '/api/auth/local/register', {
      body: { username: 'ann', email: 'ann@example.org', password: 'a good password' },
    });
    const jwt = String(registered.at('jwt'));
    expect(await madeBy(() => post('one'))).to.deep.equal({ by: { kind: 'public' }, requestId: 'one' });
    expect(await madeBy(() => post('two', key))).to.deep.equal({
      by: { kind: 'token', name: 'website' },
      requestId: 'two',
    });
    expect(await madeBy(() => post('three', jwt))).to.deep.equal({
      by: { kind: 'user', id: registered.at('user.id') },
      requestId: 'three',
    });
    expect(await madeBy(() => documents(MEMO).create({ data: { title: 'four' } }))).to.deep.equal({
      by: { kind: 'script' },
      requestId: null,
    });
    const form = new FormData();
    form.append('files', new Blob(['text'], { type: 'text/plain' }), 'a.txt');
    const upload = () =>
      fetch(`${server.url}/api/upload`, {
        method: 'POST',
        body: form,
        headers: { authorization: `Bearer ${key}`, 'x-request-id': 'five' },
      });
    expect(await madeBy(upload)).to.deep.equal({
      by: { kind: 'token', name: 'website' },
      requestId: 'five',
    });
  });
});
