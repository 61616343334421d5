/** Versions by `documents(uid)`, in transactions, and a restore that is sent twice. */
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { eraseVersions } from '../../src/store/history/list.js';
import { send } from '../support/send.js';
import { startTestServer, type TestServer } from '../support/test-server.js';
import { writeFiles } from '../support/write-files.js';
import { ARTICLE, AUTHOR, FILES, HOME, PAGE, type Row, TAG } from './library.js';

describe('history in code', function () {
  this.timeout(180_000);
  let server: TestServer;
  let folder = '';
  let token: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'mangrove-history-'));
    await writeFiles(
      folder,
      Object.fromEntries(FILES.map((file) => [`content-types/${file.file}`, file.content])),
    );
    server = await startTestServer({}, { schemaFolder: folder });
    token = (await server.project.access.tokens.create({ name: 'all', type: 'full-access' })).key;
  });
  after(async () => {
    await server?.close();
    await rm(folder, { recursive: true, force: true });
  });
  const documents = (uid: string) => server.project.documents(uid);
  const versionsOf = async (uid: string, params: Row & { documentId: string }) =>
    (await documents(uid).findVersions?.(params)) ?? [];
  const titles = (versions: readonly { entry: Row }[]) => versions.map(({ entry }) => entry['title']);
  /** An article with the titles one and two; the second is published. */
  const article = async (): Promise<string> => {
    const { documentId } = await documents(ARTICLE).create({ data: { title: 'one', memo: 'private' } });
    const id = String(documentId);
    await documents(ARTICLE).update({ documentId: id, data: { title: 'two' }, status: 'published' });
    return id;
  };

  it('finds the versions as REST does, with private attributes', async () => {
    const documentId = await article();
    const all = await versionsOf(ARTICLE, { documentId });
    expect(all.map(({ status, entry }) => [status, entry['title']])).to.have.deep.members([
      ['draft', 'two'],
      ['published', 'two'],
      ['draft', 'one'],
    ]);
    const drafts = await versionsOf(ARTICLE, { documentId, status: 'draft', fields: ['title'], limit: 1 });
    expect(titles(drafts)).to.deep.equal(['two']);
    const rest = await send(server.url, `/api/articles/${documentId}/versions`, { token });
    expect(JSON.parse(JSON.stringify(all.map(({ entry: _, ...version }) => version)))).to.deep.equal(
      (rest.at('data') as Row[]).map(({ entry: _, ...version }) => version),
    );
    const first = all.at(-1);
    const one = await documents(ARTICLE).findVersion?.({ documentId, version: first?.id ?? '' });
    expect([one?.entry['memo'], one?.from, one?.until]).to.deep.equal(['private', first?.from, first?.until]);
  });

  it('answers nothing for what is no version, and has no versions where a type keeps none', async () => {
    const [documentId, other] = [await article(), await article()];
    const [of] = await versionsOf(ARTICLE, { documentId: other });
    for (const version of [of?.id, 'none', '0'.repeat(24), { $ne: null }, undefined] as never[]) {
      expect(await documents(ARTICLE).findVersion?.({ documentId, version })).to.equal(null);
      expect(await documents(ARTICLE).restore?.({ documentId, version })).to.deep.equal({
        documentId,
        entries: [],
      });
    }
    expect(await versionsOf(ARTICLE, { documentId: 'none' })).to.deep.equal([]);
    expect(documents(TAG)).to.not.have.any.keys('findVersions', 'findVersion', 'restore');
    const failed = await versionsOf(ARTICLE, { documentId: { $ne: 1 } as never }).catch((error) => error);
    expect(failed).to.have.property('message', 'documentId must be a string');
  });

  it('restores, also deleted documents, locales and single types', async () => {
    const documentId = await article();
    const first = (await versionsOf(ARTICLE, { documentId })).at(-1)?.id ?? '';
    const back = await documents(ARTICLE).restore?.({ documentId, version: first });
    expect([back?.documentId, back?.entries.map(({ title }) => title)]).to.deep.equal([documentId, ['one']]);
    expect((await documents(ARTICLE).findOne({ documentId, status: 'published' }))?.['title']).to.equal(
      'two',
    );
    await documents(ARTICLE).delete({ documentId });
    await documents(ARTICLE).restore?.({ documentId, version: first });
    expect((await documents(ARTICLE).findOne({ documentId }))?.['title']).to.equal('one');

    const page = String((await documents(PAGE).create({ data: { title: 'en' } })).documentId);
    await documents(PAGE).update({ documentId: page, data: { title: 'fr' }, locale: 'fr' });
    await documents(PAGE).delete({ documentId: page, locale: 'fr' });
    const [french] = await versionsOf(PAGE, { documentId: page, locale: 'fr' });
    const restored = await documents(PAGE).restore?.({ documentId: page, version: french?.id ?? '' });
    expect(restored?.entries.map(({ title, locale }) => [title, locale])).to.deep.equal([['fr', 'fr']]);

    const home = String((await documents(HOME).create({ data: { title: 'h1' } })).documentId);
    await documents(HOME).update({ documentId: home, data: { title: 'h2' } });
    const [, old] = await versionsOf(HOME, { documentId: home });
    await documents(HOME).restore?.({ documentId: home, version: old?.id ?? '' });
    expect((await documents(HOME).findFirst())?.['title']).to.equal('h1');
  });

  it('restores in a transaction: with other writes, or not at all', async () => {
    const documentId = await article();
    const version = (await versionsOf(ARTICLE, { documentId })).at(-1)?.id ?? '';
    const before = await versionsOf(ARTICLE, { documentId });
    const failed = await server.project.documents
      .transaction(async (inside) => {
        await inside(ARTICLE).restore?.({ documentId, version });
        throw new RangeError('changed our mind');
      })
      .catch((error: unknown) => error);
    expect(failed).to.be.instanceOf(RangeError);
    expect(await versionsOf(ARTICLE, { documentId })).to.deep.equal(before);
    const author = await server.project.documents.transaction(async (inside) => {
      await inside(ARTICLE).restore?.({ documentId, version });
      await inside(ARTICLE).update({ documentId, data: { views: 7 } });
      return inside(AUTHOR).create({ data: { name: 'with it' } });
    });
    const draft = await documents(ARTICLE).findOne({ documentId });
    expect([draft?.['title'], draft?.['views'], typeof author['documentId']]).to.deep.equal([
      'one',
      7,
      'string',
    ]);
    const after = await versionsOf(ARTICLE, { documentId });
    expect(after, 'what the transaction has left is one version').to.have.length(before.length + 1);
  });

  it('restores nothing of what is erased before that is stored', async () => {
    const documentId = await article();
    const version = (await versionsOf(ARTICLE, { documentId })).at(-1)?.id ?? '';
    await documents(ARTICLE).delete({ documentId });
    const { store, schema, documents: all } = server.project;
    const type = schema.contentTypes.get(ARTICLE);
    if (!type) throw new TypeError('no articles');
    const found = await all.transaction(async (inside) => {
      const answer = await inside(ARTICLE).restore?.({ documentId, version });
      await eraseVersions(store.db, type, documentId, { past: false });
      return answer?.entries.length;
    });
    expect(found, 'done again, it finds nothing').to.equal(0);
    expect(await documents(ARTICLE).findOne({ documentId })).to.equal(null);
    expect(await versionsOf(ARTICLE, { documentId })).to.deep.equal([]);
  });

  it('restores once for one Idempotency-Key', async () => {
    const documentId = await article();
    const version = (await versionsOf(ARTICLE, { documentId })).at(-1)?.id ?? '';
    const headers = { 'idempotency-key': randomUUID() };
    const restore = () =>
      send(server.url, `/api/articles/${documentId}/versions/${version}/restore`, {
        token,
        headers,
        method: 'POST',
      });
    const answers = [await restore(), await restore()];
    for (const answer of answers)
      expect([answer.status, answer.at('data.title')]).to.deep.equal([200, 'one']);
    const drafts = await versionsOf(ARTICLE, { documentId, status: 'draft' });
    expect(titles(drafts)).to.deep.equal(['one', 'two', 'one']);
    await documents(ARTICLE).update({ documentId, data: { title: 'three' } });
    expect((await restore()).status).to.equal(200);
    expect((await documents(ARTICLE).findOne({ documentId }))?.['title'], 'not done again').to.equal('three');
  });
});
