import { expect } from 'chai';
import { send } from '../support/send.js';
import { startTestServer, type TestServer } from '../support/test-server.js';

describe('schemas and email over REST', () => {
  let server: TestServer;
  let token: string;

  before(async function () {
    this.timeout(180_000);
    server = await startTestServer();
    token = (await server.project.access.tokens.create({ name: 'full', type: 'full-access' })).key;
  });
  after(() => server?.close());

  const get = (path: string) => send(server.url, `/api/content-type-builder${path}`, { token });

  it("lists every content type in Strapi's shape, including built-in ones", async () => {
    const { status, at } = await get('/content-types');
    expect(status).to.equal(200);
    const types = at('data') as readonly { uid: string }[];
    expect(types.map(({ uid }) => uid)).to.include.members([
      'api::restaurant.restaurant',
      'api::homepage.homepage',
      'plugin::upload.file',
      'plugin::users-permissions.user',
      'admin::user',
    ]);
  });

  it('returns one content type as in its file', async () => {
    const { body, at } = await get('/content-types/api::article.article');
    expect(body).to.have.property('data').that.has.all.keys('uid', 'apiID', 'schema');
    expect(at('data.apiID')).to.equal('article');
    expect(at('data.schema')).to.deep.include({
      draftAndPublish: true,
      displayName: 'article',
      singularName: 'article',
      pluralName: 'articles',
      description: '',
      kind: 'collectionType',
      collectionName: 'articles',
      visible: true,
      restrictRelationsTo: null,
      pluginOptions: { i18n: { localized: true } },
    });
    expect(at('data.schema.attributes.author')).to.deep.include({
      type: 'relation',
      target: 'api::person.person',
      private: false,
    });
    expect(at('data.schema.attributes.hero')).to.deep.include({
      type: 'media',
      multiple: false,
      required: false,
      private: false,
    });
    expect(at('data.schema.attributes')).to.not.have.any.keys(
      'id',
      'documentId',
      'createdAt',
      'localizations',
    );
  });

  it('names the plugin of a built-in type', async () => {
    const { at } = await get('/content-types/plugin::upload.file');
    expect(at('data.plugin')).to.equal('upload');
    expect(at('data.schema.restrictRelationsTo')).to.deep.equal([]);
  });

  it('filters types by kind', async () => {
    const { at } = await get('/content-types?kind=singleType');
    const kinds = (at('data') as readonly { schema: { kind: string } }[]).map(({ schema }) => schema.kind);
    expect(new Set(kinds)).to.deep.equal(new Set(['singleType']));
    expect((await get('/content-types?kind=none')).status).to.equal(400);
  });

  it('lists components, and returns one', async () => {
    const { at } = await get('/components');
    const uids = (at('data') as readonly { uid: string }[]).map(({ uid }) => uid);
    expect(uids).to.have.members([...server.project.schema.components.keys()]);
    const one = await get('/components/shared.seo');
    expect(one.at('data')).to.deep.include({ uid: 'shared.seo', category: 'shared', apiId: 'seo' });
    expect(one.at('data.schema.attributes')).to.have.property('metaTitle');
  });

  it('answers 404 for unknown ones', async () => {
    for (const [path, message] of [
      ['/content-types/api::no.no', 'contentType.notFound'],
      ['/components/no.no', 'component.notFound'],
    ] as const) {
      const { status, at } = await get(path);
      expect([status, at('error.message')]).to.deep.equal([404, message]);
    }
  });

  it('returns nothing without the grant', async () => {
    const { key } = await server.project.access.tokens.create({
      name: 'components',
      type: 'custom',
      permissions: ['plugin::content-type-builder.components.getComponents'],
    });
    const ask = (path: string) => send(server.url, `/api/content-type-builder${path}`, { token: key });
    expect((await ask('/components')).status).to.equal(200);
    for (const path of ['/content-types', '/content-types/api::article.article', '/components/shared.seo'])
      expect((await ask(path)).status, path).to.equal(403);
    expect((await send(server.url, '/api/content-type-builder/components')).status).to.equal(403);
  });

  it('email: reports missing fields, and that no mail server is configured', async () => {
    const letter = { to: 'ann@example.com', subject: 'Hello', text: 'Hello' };
    const sent = await send(server.url, '/api/email', { token, body: letter });
    expect([sent.status, sent.at('error.name'), sent.at('error.message')]).to.deep.equal([
      400,
      'ApplicationError',
      "Couldn't send email: no mail server is configured.",
    ]);
    const empty = await send(server.url, '/api/email', { token, body: { to: 'ann@example.com' } });
    expect([empty.status, empty.at('error.message')]).to.deep.equal([400, '2 errors occurred']);
    expect((await send(server.url, '/api/email', { body: letter })).status).to.equal(403);
  });
});

describe('email with a mail server', () => {
  it('sends what it is given, and reports failures', async function () {
    this.timeout(180_000);
    const settings = { defaultFrom: 'site@example.com' };
    const server = await startTestServer({
      plugins: { email: { providerOptions: { jsonTransport: true }, settings } },
    });
    const refusing = await startTestServer({
      plugins: {
        email: { providerOptions: { host: '127.0.0.1', port: 1, connectionTimeout: 2000 }, settings },
      },
    });
    try {
      for (const [of, status] of [
        [server, 200],
        [refusing, 400],
      ] as const) {
        const { key } = await of.project.access.tokens.create({ name: 'mail', type: 'full-access' });
        const body = {
          to: 'ann@example.com',
          cc: 'bob@example.com',
          subject: 'Hi',
          text: 'Hi',
          html: '<b>Hi</b>',
        };
        const sent = await send(of.url, '/api/email', { token: key, body });
        expect(sent.status).to.equal(status);
        if (status === 200) expect(sent.body).to.deep.equal({});
        else expect(sent.headers.get('x-error-code')).to.equal('email-not-sent');
      }
    } finally {
      await Promise.all([server.close(), refusing.close()]);
    }
  });
});
