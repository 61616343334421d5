/** Publishing, unpublishing and discarding drafts over REST, each an action to grant (rules A.1). */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { allActions } from '../../src/access/index.js';
import { createClient } from '../../src/client/index.js';
import { allRoutes } from '../../src/http/routes/all.js';
import { writeFiles } from '../../src/transfer/schemas/files.js';
import { type Received, type Sent, send } from '../support/send.js';
import { startTestServer, type TestServer } from '../support/test-server.js';

const ARTICLE = 'api::article.article';
const CHANGES = ['publish', 'unpublish', 'discardDraft'];

describe('actions on versions over REST', function () {
  this.timeout(180_000);
  let server: TestServer;
  let key: string;

  before(async () => {
    server = await startTestServer();
    key = await token('all', { type: 'full-access' });
  });
  after(() => server.close());

  const token = async (name: string, more: object): Promise<string> =>
    (await server.project.access.tokens.create({ name, type: 'custom', ...more })).key;
  const ask = (path: string, sent: Sent = {}): Promise<Received> =>
    send(server.url, `/api/${path}`, { token: key, ...sent });
  const post = (path: string, sent: Sent = {}): Promise<Received> => ask(path, { method: 'POST', ...sent });
  const write = (title: string, query = '', name = 'articles', method = 'POST'): Promise<Received> =>
    ask(`${name}${query}`, { method, body: { data: { title } } });
  const idOf = (received: Received): string => String(received.at('data.documentId'));
  const titles = async (id: string, locale = 'en'): Promise<readonly unknown[]> =>
    Promise.all(
      ['published', 'draft'].map(
        async (status) =>
          (await ask(`articles/${id}?locale=${locale}&status=${status}`)).at('data.title') ?? null,
      ),
    );

  it('publish the draft, return to it, and remove what is published', async () => {
    const id = idOf(await write('First', '?status=draft'));
    expect(await titles(id)).to.deep.equal([null, 'First']);
    const published = await post(`articles/${id}/publish?fields=title`);
    expect([published.status, Object.keys(published.body as object)]).to.deep.equal([200, ['data', 'meta']]);
    expect(published.at('data')).to.deep.equal({
      id: published.at('data.id'),
      documentId: id,
      title: 'First',
    });
    await write('Second', `/${id}?status=draft`, 'articles', 'PUT');
    expect(await titles(id)).to.deep.equal(['First', 'Second']);
    const discarded = await post(`articles/${id}/discard-draft`);
    expect([discarded.status, discarded.at('data.title')]).to.deep.equal([200, 'First']);
    expect(discarded.at('data.publishedAt')).to.equal(null);
    expect(await titles(id)).to.deep.equal(['First', 'First']);
    const hidden = await post(`articles/${id}/unpublish`);
    expect([hidden.status, hidden.at('data.publishedAt')]).to.deep.equal([200, null]);
    expect(await titles(id)).to.deep.equal([null, 'First']);
  });

  it('act on one locale', async () => {
    const id = idOf(await write('One', '?status=draft'));
    await write('Un', `/${id}?status=draft&locale=fr`, 'articles', 'PUT');
    const published = await post(`articles/${id}/publish?locale=fr`);
    expect([published.status, published.at('data.locale')]).to.deep.equal([200, 'fr']);
    expect(await titles(id)).to.deep.equal([null, 'One']);
    expect(await titles(id, 'fr')).to.deep.equal(['Un', 'Un']);
    for (const query of ['locale=*', 'locale[0]=en&locale[1]=fr', 'locale[$ne]=en', 'locale=no locale'])
      for (const segment of ['publish', 'unpublish', 'discard-draft'])
        expect((await post(`articles/${id}/${segment}?${query}`)).status, `${segment} ${query}`).to.equal(
          400,
        );
    expect((await post(`articles/${id}/publish?locale=de`)).status).to.equal(404);
    expect(await titles(id)).to.deep.equal([null, 'One']);
  });

  it('answer the version that they change, and refuse to show another', async () => {
    const id = idOf(await write('Shown', '?status=draft'));
    const refused = await post(`articles/${id}/publish?status=draft`);
    expect([refused.status, refused.at('error.message')]).to.deep.equal([400, 'Invalid key status']);
    expect(await titles(id)).to.deep.equal([null, 'Shown']);
    const published = await post(`articles/${id}/publish?status=published`);
    expect(published.at('data.publishedAt')).to.be.a('string');
    expect((await post(`articles/${id}/unpublish?status=published`)).status).to.equal(400);
    expect(await titles(id)).to.deep.equal(['Shown', 'Shown']);
  });

  it('are a 404 where there is nothing to change, and discarding never deletes an unpublished draft', async () => {
    const id = idOf(await write('Never public', '?status=draft'));
    for (const path of [`${id}/unpublish`, `${id}/discard-draft`, 'nobody/publish', 'publish/publish']) {
      const refused = await post(`articles/${path}`);
      expect([refused.status, refused.headers.get('x-error-code')], path).to.deep.equal([404, 'not-found']);
    }
    expect(await titles(id)).to.deep.equal([null, 'Never public']);
  });

  it('discarding keeps the draft of a document that is unpublished at the same moment', async () => {
    const id = idOf(await write('Withdrawn'));
    const { documents } = server.project;
    documents.use(async ({ action, params }, next) => {
      const { documentId } = params as { readonly documentId?: string };
      if (action === 'discardDraft' && documentId === id)
        await documents(ARTICLE).unpublish?.({ documentId: id });
      return next();
    });
    expect((await post(`articles/${id}/discard-draft`)).status).to.equal(404);
    expect(await titles(id)).to.deep.equal([null, 'Withdrawn']);
  });

  it('unpublishing never removes an entry of another program, which has no draft', async () => {
    const id = idOf(await write('Imported'));
    const other = idOf(await write('With a draft in another locale'));
    await write('Aussi', `/${other}?locale=fr`, 'articles', 'PUT');
    const { db } = server.project.store;
    await db.collection('articles.drafts').deleteMany({ documentId: { $in: [id, other] }, locale: 'en' });
    for (const documentId of [id, other])
      expect((await post(`articles/${documentId}/unpublish`)).status).to.equal(404);
    expect(await titles(id)).to.deep.equal(['Imported', null]);
    expect(await titles(other)).to.deep.equal(['With a draft in another locale', null]);
    expect((await post(`articles/${other}/unpublish?locale=fr`)).status).to.equal(200);
  });

  it('refuse data, which they would ignore, and a draft that is not complete', async () => {
    const id = idOf(await write('Kept', '?status=draft'));
    for (const data of [{ title: 'x' }, [], [{}], 'x', 1, false, null]) {
      const refused = await post(`articles/${id}/publish`, { body: { data } });
      expect([refused.status, refused.at('error.message')]).to.deep.equal([400, 'Invalid key data']);
    }
    expect(await titles(id)).to.deep.equal([null, 'Kept']);
    expect((await post(`articles/${id}/publish?fields=nope`)).status).to.equal(400);
    expect(await titles(id)).to.deep.equal([null, 'Kept']);
    for (const body of [{}, { data: {} }])
      expect((await post(`articles/${id}/publish`, { body })).status).to.equal(200);
    const empty = idOf(await ask('articles?status=draft', { body: { data: {} } }));
    const refused = await post(`articles/${empty}/publish`);
    expect([refused.status, refused.at('error.name')]).to.deep.equal([400, 'ValidationError']);
  });

  it('act on single types, once these have a document', async () => {
    for (const segment of ['publish', 'unpublish', 'discard-draft'])
      expect((await post(`homepage/${segment}`)).status, segment).to.equal(404);
    await write('Home', '?status=draft', 'homepage', 'PUT');
    expect((await post('homepage/discard-draft')).status).to.equal(404);
    expect((await post('homepage/publish')).at('data.title')).to.equal('Home');
    expect((await ask('homepage')).at('data.title')).to.equal('Home');
    expect((await post('homepage/discard-draft')).status).to.equal(200);
    expect((await post('homepage/unpublish')).status).to.equal(200);
    expect((await ask('homepage')).status).to.equal(404);
    expect((await ask('homepage?status=draft')).at('data.title')).to.equal('Home');
  });

  it('do not exist for types without drafts, and other methods do not either', async () => {
    const memo = idOf(await write('At once', '', 'memos'));
    const none = await post(`memos/${memo}/publish`);
    expect([none.status, none.body]).to.deep.equal([405, 'Method Not Allowed']);
    expect((await post('notice/publish')).status).to.equal(405);
    const id = idOf(await write('Methods', '?status=draft'));
    expect((await ask(`articles/${id}/publish`)).status).to.equal(404);
    for (const method of ['PUT', 'PATCH'])
      expect((await ask(`articles/${id}/publish`, { method })).status, method).to.equal(405);
    // It cancels what is scheduled.
    expect((await ask(`articles/${id}/publish`, { method: 'DELETE' })).status).to.equal(404);
    expect((await post(`Articles/${id}/PUBLISH/`)).status).to.equal(200);
  });

  it('are closed without their own grant', async () => {
    const id = idOf(await write('Guarded', '?status=draft'));
    const grants = (names: readonly string[]) => ({ permissions: names.map((name) => `${ARTICLE}.${name}`) });
    const editor = await token('editor', grants(['find', 'findOne', 'create', 'update', 'delete']));
    const reader = await token('reader', { type: 'read-only' });
    const publisher = await token('publisher', grants(['publish']));
    for (const by of [editor, reader, undefined])
      for (const segment of ['publish', 'unpublish', 'discard-draft'])
        expect((await post(`articles/${id}/${segment}`, { token: by })).status).to.equal(403);
    expect(await titles(id)).to.deep.equal([null, 'Guarded']);
    expect((await post(`articles/${id}/publish`, { token: publisher })).status).to.equal(200);
    expect((await post(`articles/${id}/unpublish`, { token: publisher })).status).to.equal(403);
  });

  it('without a credential, those that answer with a draft change nothing', async () => {
    const id = idOf(await write('Public'));
    const role = (await server.project.access.roles.byType('public'))?.role;
    if (!role) throw new Error('no public role');
    const grants = [...role.grants, ...CHANGES.map((name) => `${ARTICLE}.${name}`)];
    await server.project.access.roles.change(role, { grants });
    for (const segment of ['unpublish', 'discard-draft'])
      expect((await post(`articles/${id}/${segment}`, { token: undefined })).status).to.equal(403);
    expect(await titles(id)).to.deep.equal(['Public', 'Public']);
    expect((await post(`articles/${id}/publish`, { token: undefined })).status).to.equal(200);
    await server.project.access.roles.change(role, { grants: role.grants });
  });

  it('are in the permission trees as soon as a role has them', async () => {
    const shown = async (): Promise<unknown> => {
      const tree = await ask('users-permissions/permissions');
      return Object.keys((tree.at('permissions.api::article.controllers.article') ?? {}) as object);
    };
    const strapis = ['find', 'findOne', 'create', 'update', 'delete'];
    expect(await shown()).to.deep.equal(strapis);
    const { id } = await server.project.access.roles.create({
      type: 'publisher',
      grants: [`${ARTICLE}.publish`],
    });
    expect(await shown()).to.deep.equal([...strapis, 'publish']);
    const path = `users-permissions/roles/${id}`;
    const { permissions } = (await ask(path)).at('role') as { permissions: object };
    expect((await ask(path, { method: 'PUT', body: { permissions } })).status).to.equal(200);
    const [changed] = (await server.project.access.roles.all()).filter(({ role }) => role.id === id);
    expect(changed?.role.grants).to.deep.equal([`${ARTICLE}.publish`]);
    await ask(path, { method: 'DELETE' });
    expect(await shown()).to.deep.equal(strapis);
    expect(allActions(server.project.schema)).to.include.members(CHANGES.map((name) => `${ARTICLE}.${name}`));
    expect(allActions(server.project.schema)).to.not.include('api::memo.memo.publish');
  });

  it('leave an action to the route that a project declares for it', () => {
    const { project } = server;
    const action = `${ARTICLE}.publish`;
    const route = { method: 'POST', path: '/articles/:id/approve', action, handler: () => null } as const;
    const own = { ...project.own, definition: { ...project.own.definition, routes: [route] } };
    const paths = allRoutes({ ...project, own })
      .filter((one) => one.action === action)
      .map(({ path }) => path);
    expect(paths).to.deep.equal(['/articles/:id/approve']);
  });

  it('are methods of mangrove/client', async () => {
    const client = createClient({ url: `${server.url}/api`, token: key });
    const articles = client.collection('articles');
    const { data } = await articles.create({ title: 'Client' }, { status: 'draft' });
    const published = await articles.publish(data.documentId, { fields: ['title'] });
    expect(published.data).to.have.property('title', 'Client');
    expect((await articles.discardDraft(data.documentId)).data).to.have.property('publishedAt', null);
    expect((await articles.unpublish(data.documentId)).data).to.have.property('publishedAt', null);
    expect((await articles.publish(data.documentId, { locale: 'en' })).meta).to.deep.equal({});
    const homepage = client.single('homepage');
    await homepage.update({ title: 'Client' }, { status: 'draft' });
    expect((await homepage.publish()).data).to.have.property('title', 'Client');
    expect((await homepage.discardDraft()).data).to.have.property('publishedAt', null);
    expect((await homepage.unpublish()).data).to.have.property('publishedAt', null);
  });

  it('twenty at once leave one published version, and none fails', async () => {
    const id = idOf(await write('Race', '?status=draft'));
    const answers = await Promise.all(Array.from({ length: 20 }, () => post(`articles/${id}/publish`)));
    expect(answers.map(({ status }) => status)).to.deep.equal(Array(20).fill(200));
    const { db } = server.project.store;
    expect(await db.collection('articles').countDocuments({ documentId: id })).to.equal(1);
  });
});

const typeOf = (kind: string, singularName: string, pluralName: string) => ({
  kind: 'contentType' as const,
  uid: `api::${singularName}.${singularName}`,
  name: singularName,
  file: `content-types/${singularName}/schema.json`,
  content: {
    kind,
    info: { singularName, pluralName, displayName: singularName },
    options: { draftAndPublish: true },
    attributes: { title: { type: 'string' } },
  },
});

describe('actions on versions of types that are named after them', function () {
  this.timeout(180_000);
  for (const compat of [null, 'v4', 'v3'] as const)
    it(`are apart from the routes of the type${compat === null ? '' : `, for clients of Strapi ${compat}`}`, async () => {
      const folder = await mkdtemp(join(tmpdir(), 'mangrove-publish-'));
      await writeFiles(folder, [
        typeOf('collectionType', 'publish', 'unpublish'),
        typeOf('singleType', 'discard-draft', 'discard-drafts'),
      ]);
      const server = await startTestServer({ rest: { compat } }, { schemaFolder: folder });
      try {
        const { key } = await server.project.access.tokens.create({ name: 'all', type: 'full-access' });
        const service = server.project.documents('api::publish.publish');
        const ask = async (method: string, path: string, data?: object) => {
          const body = data && (compat === 'v3' ? data : { data });
          const answer = await send(server.url, `${compat === 'v3' ? '' : '/api'}/${path}`, {
            method,
            token: key,
            ...(body && { body }),
          });
          const entry = (compat === 'v3' ? answer.body : answer.at('data')) as Record<string, unknown> | null;
          const values = (compat === 'v4' ? entry?.['attributes'] : entry) as Record<string, unknown> | null;
          return { status: answer.status, id: entry?.[compat === null ? 'documentId' : 'id'], values };
        };
        const made = await ask('POST', 'unpublish', { title: 'Made' });
        expect(made.status).to.equal(compat === null ? 201 : 200);
        const hidden = await ask('POST', `unpublish/${made.id}/unpublish`);
        expect([hidden.status, hidden.values?.['title']]).to.deep.equal([200, 'Made']);
        const published = compat === 'v3' ? 'published_at' : 'publishedAt';
        expect(hidden.values?.[published]).to.equal(null);
        expect(await service.count({ status: 'published' })).to.equal(0);
        const again = await ask('POST', `unpublish/${hidden.id}/publish`);
        expect([again.status, again.values?.['title']]).to.deep.equal([200, 'Made']);
        expect(again.values?.[published]).to.be.a('string');
        expect(await service.count({ status: 'published' })).to.equal(1);
        expect((await ask('POST', `unpublish/${again.id}/discard-draft`)).status).to.equal(200);
        expect((await ask('POST', `unpublish/${again.id}/publish`, { title: 'Ignored' })).status).to.equal(
          400,
        );
        await ask('PUT', 'discard-draft', { title: 'Single' });
        const discarded = await ask('POST', 'discard-draft/discard-draft');
        expect([discarded.status, discarded.values?.['title']]).to.deep.equal([200, 'Single']);
        // The draft of a published document stands for both, as in Strapi 3 and 4.
        expect(discarded.values?.[published] === null).to.equal(compat === null);
      } finally {
        await server.close();
        await rm(folder, { recursive: true, force: true });
      }
    });
});
