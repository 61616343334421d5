/** The versions of a document over REST: listed, read and restored, each an action to grant. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { allActions } from '../../src/access/index.js';
import type { RolesConfig } from '../../src/config/types.js';
import { type Received, type Sent, send } from '../support/send.js';
import { startTestServer, type TestServer } from '../support/test-server.js';
import { writeFiles } from '../support/write-files.js';
import { ARTICLE, AUTHOR, FILES, HOME, PAGE } from './library.js';

type Row = Record<string, unknown>;
const FIND = [ARTICLE, AUTHOR, PAGE, HOME].flatMap((uid) => [`${uid}.find`, `${uid}.findOne`]);
const NONE = '0'.repeat(24);
const PAST = [ARTICLE, AUTHOR, PAGE, HOME].flatMap((uid) => [`${uid}.findVersions`, `${uid}.restore`]);
const under = (terms: object) =>
  ['find', 'findOne'].map((name) => ({ action: `${ARTICLE}.${name}`, ...terms }));

const ROLES: RolesConfig = {
  public: [`${ARTICLE}.find`, `${ARTICLE}.findOne`, `${ARTICLE}.findVersions`, `${ARTICLE}.restore`],
  reader: FIND,
  editor: [...FIND, ...PAST],
  few: [
    ...under({ where: { views: { $lt: 5 } }, fields: ['title', 'views'] }),
    `${ARTICLE}.findVersions`,
    { action: `${ARTICLE}.restore`, where: { views: { $lt: 5 } } },
  ],
};

describe('history over REST', function () {
  this.timeout(180_000);
  let server: TestServer;
  let folder = '';
  const keys: Record<string, string> = {};
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'mangrove-history-'));
    await writeFiles(
      folder,
      Object.fromEntries(FILES.map((file) => [`content-types/${file.file}`, file.content])),
    );
    server = await startTestServer({ roles: ROLES }, { schemaFolder: folder });
    const { users, roles, sessions } = server.project.access;
    for (const name of ['reader', 'editor', 'few']) {
      const role = (await roles.byType(name))?.role;
      const account = { username: name, email: `${name}@example.org`, password: 'secret-1', confirmed: true };
      const user = await users.make({ ...account, role: role?.documentId ?? '' });
      keys[name] = (await sessions.issue(user)).jwt;
    }
  });
  after(async () => {
    await server?.close();
    await rm(folder, { recursive: true, force: true });
  });

  const ask = (path: string, as: string | null = 'editor', sent: Sent = {}): Promise<Received> =>
    send(server.url, `/api/${path}`, { ...(as && { token: keys[as] }), ...sent });
  const restore = (path: string, version: unknown, as: string | null = 'editor', query = '') =>
    ask(`${path}/versions/${String(version)}/restore${query}`, as, { method: 'POST' });
  /** How queries of one version that are wrong are answered: as if there were none, where it is hidden. */
  const refusalsOf = async (id: string, version: unknown, as: string | null): Promise<readonly unknown[]> => {
    const answers: unknown[] = [];
    for (const query of ['at=2020-01-01', 'fields[0]=nope', 'populate[nope]=*', 'sort=title'])
      answers.push((await ask(`articles/${id}/versions/${String(version)}?${query}`, as)).body);
    return answers;
  };
  const listed = (received: Received): readonly Row[] => (received.at('data') ?? []) as readonly Row[];
  const documents = (uid: string) => server.project.documents(uid);
  const article = async (data: object, status = 'published'): Promise<string> =>
    String((await documents(ARTICLE).create({ data, status })).documentId);
  const titlesOf = (received: Received): readonly unknown[] =>
    listed(received).map(({ status, entry }) => [status, (entry as Row)['title']]);

  it('lists the versions of both statuses, the newest first, in pages', async () => {
    const id = await article({ title: 'one', memo: 'private', notes: [{ text: 'a' }] });
    await documents(ARTICLE).update({ documentId: id, data: { title: 'two' } });
    await documents(ARTICLE).publish?.({ documentId: id });
    await documents(ARTICLE).delete({ documentId: id });
    const all = await ask(`articles/${id}/versions?populate=notes`);
    expect(titlesOf(all).map((one) => (one as unknown[])[1])).to.deep.equal(['two', 'two', 'one', 'one']);
    expect(titlesOf(all)[0]).to.deep.equal(['published', 'two']);
    const [newest = {}] = listed(all);
    expect(Object.keys(newest)).to.deep.equal([
      'id',
      'status',
      'locale',
      'event',
      'from',
      'until',
      'removed',
      'entry',
    ]);
    expect([newest['event'], newest['removed']]).to.deep.equal(['entry.publish', 'entry.delete']);
    expect(newest['entry']).to.not.have.property('memo');
    expect((newest['entry'] as Row)['notes']).to.have.length(1);
    expect(all.at('meta.pagination')).to.deep.equal({ page: 1, pageSize: 25, pageCount: 1, total: 4 });
    const second = await ask(
      `articles/${id}/versions?pagination[pageSize]=3&pagination[page]=2&fields=title`,
    );
    expect(listed(second)).to.have.length(1);
    expect(Object.keys(listed(second)[0]?.['entry'] as Row)).to.deep.equal(['id', 'documentId', 'title']);
    const drafts = await ask(`articles/${id}/versions?status=draft`);
    expect(titlesOf(drafts)).to.deep.equal([
      ['draft', 'two'],
      ['draft', 'one'],
    ]);
    const one = await ask(`articles/${id}/versions/${String(listed(drafts)[1]?.['id'])}`);
    expect([one.status, one.at('data.entry.title'), one.at('data.event')]).to.deep.equal([
      200,
      'one',
      'entry.create',
    ]);
  });

  it('populates relations of one version, or of one status', async () => {
    const author = String((await documents(AUTHOR).create({ data: { name: 'ann' } })).documentId);
    const id = await article({ title: 'one', author });
    await documents(ARTICLE).update({ documentId: id, data: { author: null } });
    const drafts = await ask(`articles/${id}/versions?status=draft&populate=author`);
    expect(
      listed(drafts).map(({ entry }) => (entry as { author: Row | null }).author?.['name'] ?? null),
    ).to.deep.equal([null, 'ann']);
    const both = await ask(`articles/${id}/versions?populate=author`);
    expect(both.at('error.details.code')).to.equal('versions-not-populated');
    const one = await ask(`articles/${id}/versions/${String(listed(drafts)[1]?.['id'])}?populate=author`);
    expect(one.at('data.entry.author.name')).to.equal('ann');
  });

  it('refuses what a restore would ignore: another status, unknown parameters, another locale', async () => {
    const id = await article({ title: 'one' }, 'draft');
    await documents(ARTICLE).update({ documentId: id, data: { title: 'two' } });
    const [, first] = listed(await ask(`articles/${id}/versions`));
    for (const [query, key] of [
      ['status=published', 'status'],
      ['status[]=draft', 'status'],
      ['publishAt=2100-01-01T00:00:00Z', 'publishAt'],
      ['version=1', 'version'],
      ['dryRun=true', 'dryRun'],
    ]) {
      const answer = await restore(`articles/${id}`, first?.['id'], 'editor', `?${query}`);
      expect([answer.status, answer.at('error.message')], query).to.deep.equal([400, `Invalid key ${key}`]);
    }
    const own = await documents(PAGE).create({ data: { title: 'en' }, locale: 'en' });
    const { documentId } =
      (await documents(PAGE).update({
        documentId: String(own['documentId']),
        data: { title: 'fr' },
        locale: 'fr',
      })) ?? {};
    const [french] = listed(await ask(`pages/${String(documentId)}/versions?locale=fr`));
    for (const [locale, status] of [
      ['de', 404],
      ['en', 404],
      ['fr', 200],
    ] as const) {
      const answer = await restore(
        `pages/${String(documentId)}`,
        french?.['id'],
        'editor',
        `?locale=${locale}`,
      );
      expect([answer.status, locale]).to.deep.equal([status, locale]);
    }
    expect((await ask(`articles/${id}?status=draft`)).at('data.title')).to.equal('two');
    expect((await restore(`articles/${id}`, first?.['id'], 'editor', '?status=draft')).status).to.equal(200);
  });

  it('restores a version as the draft; what is published stays', async () => {
    const id = await article({ title: 'one', views: 1, notes: [{ text: 'a' }] });
    await documents(ARTICLE).update({
      documentId: id,
      data: { title: 'two', notes: [] },
      status: 'published',
    });
    const versions = listed(await ask(`articles/${id}/versions?status=draft`));
    const answer = await restore(`articles/${id}`, versions[1]?.['id'], 'editor', '?populate=notes');
    expect([answer.status, answer.at('data.title'), answer.at('data.notes.0.text')]).to.deep.equal([
      200,
      'one',
      'a',
    ]);
    expect((await ask(`articles/${id}`)).at('data.title')).to.equal('two');
    expect((await ask(`articles/${id}?status=draft`)).at('data.title')).to.equal('one');
    const [made] = await server.project.store.db
      .collection('articles.history')
      .find({ documentId: id })
      .sort({ '_version.from': -1 })
      .toArray();
    const editor = await server.project.access.users.named('editor');
    expect(made?.['_version'].made.by, 'who restored it').to.deep.equal({ kind: 'user', id: editor?.id });
    const again = listed(await ask(`articles/${id}/versions?status=draft`));
    expect(again.map(({ entry, event }) => [(entry as Row)['title'], event])).to.deep.equal([
      ['one', 'entry.update'],
      ['two', 'entry.update'],
      ['one', 'entry.create'],
    ]);
  });

  it('restores deleted documents, in their locale, under their documentId', async () => {
    const id = await article({ title: 'gone' });
    await documents(ARTICLE).delete({ documentId: id });
    const [version = {}] = listed(await ask(`articles/${id}/versions?status=published`));
    const answer = await restore(`articles/${id}`, version['id']);
    expect([answer.status, answer.at('data.documentId'), answer.at('data.publishedAt')]).to.deep.equal([
      200,
      id,
      null,
    ]);
    const page = await documents(PAGE).create({ data: { title: 'en', shared: 1 } });
    const documentId = String(page.documentId);
    await documents(PAGE).update({ documentId, data: { title: 'fr', shared: 2 }, locale: 'fr' });
    await documents(PAGE).delete({ documentId, locale: 'fr' });
    await documents(PAGE).update({ documentId, data: { shared: 3 } });
    const [french = {}] = listed(await ask(`pages/${documentId}/versions?locale=fr`));
    const back = await restore(`pages/${documentId}`, french['id']);
    expect([back.status, back.at('data.locale'), back.at('data.title')]).to.deep.equal([200, 'fr', 'fr']);
    const english = await ask(`pages/${documentId}?status=draft`);
    expect([english.at('data.title'), english.at('data.shared')], 'what locales share').to.deep.equal([
      'en',
      2,
    ]);
  });

  it('serves single types, and types without drafts, which are validated', async () => {
    await documents(HOME).create({ data: { title: 'first' }, status: 'published' });
    await documents(HOME).create({ data: { title: 'second' }, status: 'published' });
    const versions = listed(await ask('home/versions?status=draft'));
    expect(versions.map(({ entry }) => (entry as Row)['title'])).to.deep.equal(['second', 'first']);
    expect((await restore('home', versions[1]?.['id'])).at('data.title')).to.equal('first');
    await documents(HOME).delete({ documentId: String((await documents(HOME).findFirst())?.['documentId']) });
    expect((await restore('home', versions[0]?.['id'])).at('data.title')).to.equal('second');
    const author = String((await documents(AUTHOR).create({ data: { name: 'old' } })).documentId);
    await documents(AUTHOR).update({ documentId: author, data: { name: 'new' } });
    const [, old = {}] = listed(await ask(`authors/${author}/versions`));
    expect((await restore(`authors/${author}`, old['id'])).at('data.name')).to.equal('old');
    expect((await ask(`authors/${author}`)).at('data.name')).to.equal('old');
  });

  it('requires its actions, which no other grants and which only such types have', async () => {
    const id = await article({ title: 'one' });
    const [version = {}] = listed(await ask(`articles/${id}/versions`));
    for (const path of [`articles/${id}/versions`, `articles/${id}/versions/${String(version['id'])}`])
      expect((await ask(path, 'reader')).status, path).to.equal(403);
    expect((await restore(`articles/${id}`, version['id'], 'reader')).status).to.equal(403);
    const now = new Date().toISOString();
    expect((await ask(`articles?at=${now}`, 'reader')).status).to.equal(403);
    expect((await ask(`articles/${id}?at=${now}`, 'reader')).status).to.equal(403);
    expect((await ask(`articles?at=${now}`, 'editor')).status).to.equal(200);
    const actions = allActions(server.project.schema);
    expect(actions).to.include.members([`${ARTICLE}.findVersions`, `${HOME}.restore`]);
    expect(
      actions.filter((name) => name.startsWith('api::tag.') && /ersion|restore/.test(name)),
    ).to.deep.equal([]);
    expect((await ask('tags/x/versions')).status).to.equal(404);
  });

  it('shows published versions alone to callers without the right to drafts', async () => {
    const id = await article({ title: 'one' });
    await documents(ARTICLE).update({ documentId: id, data: { title: 'secret draft' } });
    const all = listed(await ask(`articles/${id}/versions`));
    const draft = all.find(({ status }) => status === 'draft');
    const open = await ask(`articles/${id}/versions`, null);
    expect(titlesOf(open)).to.deep.equal([['published', 'one']]);
    expect(open.at('meta.pagination.total')).to.equal(1);
    expect((await ask(`articles/${id}/versions?status=draft`, null)).status).to.equal(403);
    expect((await ask(`articles/${id}/versions/${String(draft?.['id'])}`, null)).status).to.equal(404);
    expect(await refusalsOf(id, draft?.['id'], null)).to.eql(await refusalsOf(id, NONE, null));
    expect((await restore(`articles/${id}`, draft?.['id'], null)).status).to.equal(404);
    const published = listed(open)[0]?.['id'];
    expect((await restore(`articles/${id}`, published, null)).status, 'the answer is a draft').to.equal(403);
  });

  it('keeps to rules: entries and attributes as the versions have them', async () => {
    const id = await article({ title: 'few', views: 1 });
    await documents(ARTICLE).update({
      documentId: id,
      data: { title: 'many', views: 9 },
      status: 'published',
    });
    const own = await ask(`articles/${id}/versions`, 'few');
    expect(titlesOf(own).every((one) => (one as unknown[])[1] === 'few')).to.equal(true);
    expect(own.at('meta.pagination.total')).to.equal(2);
    expect(Object.keys(listed(own)[0]?.['entry'] as Row)).to.deep.equal([
      'id',
      'documentId',
      'title',
      'views',
    ]);
    const hidden = listed(await ask(`articles/${id}/versions?status=draft`))[0]?.['id'];
    expect((await ask(`articles/${id}/versions/${String(hidden)}`, 'few')).status).to.equal(404);
    expect(await refusalsOf(id, hidden, 'few')).to.eql(await refusalsOf(id, NONE, 'few'));
    expect((await restore(`articles/${id}`, hidden, 'few')).status).to.equal(404);
    const shown = listed(await ask(`articles/${id}/versions?status=draft`, 'few'))[0]?.['id'];
    const refused = await restore(`articles/${id}`, shown, 'few');
    expect([refused.status, refused.at('error.details.code')], 'the document is hidden now').to.deep.equal([
      403,
      'rule-refused',
    ]);
    await documents(ARTICLE).delete({ documentId: id });
    expect((await restore(`articles/${id}`, shown, 'few')).status, 'a deleted one can be restored').to.equal(
      200,
    );
  });

  it('refuses what it does not have, and what is no version', async () => {
    const id = await article({ title: 'one' });
    for (const query of [
      'filters[title]=one',
      'sort=title',
      '_q=one',
      'publicationFilter=modified',
      'at=2024-01-01',
    ])
      expect((await ask(`articles/${id}/versions?${query}`)).status, query).to.equal(400);
    for (const version of ['none', '0'.repeat(24), `${'a'.repeat(23)}z`, '%00'])
      expect((await ask(`articles/${id}/versions/${version}`)).status, version).to.equal(404);
    const other = await article({ title: 'other' });
    const [version = {}] = listed(await ask(`articles/${other}/versions?status=draft`));
    expect((await ask(`articles/${id}/versions/${String(version['id'])}`)).status).to.equal(404);
    expect((await restore(`articles/${id}`, version['id'])).status).to.equal(404);
    expect(
      (
        await ask(`articles/${id}/versions/${String(version['id'])}/restore`, 'editor', {
          body: { data: { title: 'x' } },
        })
      ).status,
    ).to.equal(400);
    expect(listed(await ask('articles/none/versions'))).to.deep.equal([]);
  });

  it('restores within a batch: all of it, or nothing', async () => {
    const id = await article({ title: 'one' });
    await documents(ARTICLE).update({ documentId: id, data: { title: 'two' } });
    await documents(HOME).create({ data: { title: 'one' } });
    await documents(HOME).update({
      documentId: String((await documents(HOME).findFirst({}))?.documentId),
      data: { title: 'two' },
    });
    const versionOf = async (path: string) =>
      listed(await ask(`${path}/versions?status=draft&fields=title`)).find(
        ({ entry }) => (entry as Row)['title'] === 'one',
      )?.['id'];
    const operations = [
      { action: 'restore', plural: 'articles', documentId: id, version: await versionOf(`articles/${id}`) },
      { action: 'restore', plural: 'home', version: await versionOf('home') },
    ];
    const batch = (more: readonly object[], as = 'editor') =>
      ask('batch', as, { method: 'POST', body: { operations: [...operations, ...more] } });
    const refusals: readonly (readonly [object, number])[] = [
      [{ ...operations[0], version: undefined }, 400],
      [{ ...operations[0], version: 'nope' }, 404],
      [{ ...operations[0], plural: 'authors' }, 404],
    ];
    for (const [more, status] of refusals) {
      expect((await batch([more])).status, JSON.stringify(more)).to.equal(status);
      expect((await ask(`articles/${id}?status=draft`)).at('data.title')).to.equal('two');
    }
    expect((await batch([], 'reader')).status).to.equal(403);
    const done = await batch([]);
    expect([done.status, done.at('data.0.data.title'), done.at('data.1.data.title')]).to.deep.equal([
      200,
      'one',
      'one',
    ]);
    expect((await ask(`articles/${id}?status=draft`)).at('data.title')).to.equal('one');
  });

  it('restores one of several that are restored at once, and keeps all of them', async () => {
    const id = await article({ title: 't0' });
    for (let at = 1; at < 6; at++)
      await documents(ARTICLE).update({ documentId: id, data: { title: `t${at}` } });
    const versions = listed(await ask(`articles/${id}/versions?status=draft`));
    const answers = await Promise.all(versions.map((version) => restore(`articles/${id}`, version['id'])));
    expect(answers.map(({ status }) => status)).to.deep.equal(versions.map(() => 200));
    const after = listed(await ask(`articles/${id}/versions?status=draft`));
    expect(after).to.have.length(2 * versions.length);
    expect(after.filter(({ until }) => until === null)).to.have.length(1);
  });
});
