/** Which requests may have an `Idempotency-Key`, and who sees the answers that are kept. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { startAdopted } from '../adopt/shops.js';
import { typeFile } from '../support/schemas.js';
import { type Received, type Sent, send } from '../support/send.js';
import { startTestServer, type TestServer } from '../support/test-server.js';
import { writeFiles } from '../support/write-files.js';

const POST = 'api::post.post';
const KEY = '8e03978e-40d5-43dd-bc93-6894a57f9324';
const roles = { public: [`${POST}.create`, `${POST}.find`] };
const codeOf = ({ headers }: Received) => headers.get('x-error-code');
const isReplayed = ({ headers }: Received) => headers.get('idempotent-replayed') === 'true';

describe('idempotency keys of callers', () => {
  let folder: string;
  let server: TestServer;
  let token: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'mangrove-keys-'));
    const { content } = typeFile('post', { title: { type: 'string' } });
    await writeFiles(folder, { 'api/post/content-types/post/schema.json': content });
    server = await startTestServer({ roles }, { schemaFolder: folder });
    token = (await server.project.access.tokens.create({ name: 'all', type: 'full-access' })).key;
  });
  after(async () => {
    await server.close();
    await rm(folder, { recursive: true, force: true });
  });
  const ask = (path: string, key: string, sent: Sent = {}): Promise<Received> =>
    send(server.url, `/api${path}`, { token, ...sent, headers: { 'idempotency-key': key, ...sent.headers } });
  const body = { data: { title: 'one' } };

  it('a malformed key is a 400', async () => {
    for (const key of [
      '',
      '""',
      'a b',
      '"a',
      'a"b',
      '"é"',
      '"a", "b"',
      'a,b',
      `"${'x'.repeat(256)}"`,
      '"a";b=1',
    ]) {
      const refused = await ask('/posts', key, { body });
      expect(codeOf(refused), key).to.equal('idempotency-key-malformed');
    }
    expect((await ask('/posts', `"${'x'.repeat(255)}"`, { body })).status).to.equal(201);
    expect((await ask('/posts', '"a \\"quoted\\" key"', { body })).status).to.equal(201);
  });

  it('reads have none', async () => {
    expect((await ask('/posts', 'a b', { method: 'GET' })).status).to.equal(200);
  });

  it('callers without credentials need one that nobody else chooses', async () => {
    const open = { token: undefined, body };
    expect(codeOf(await ask('/posts', 'order-1', open))).to.equal('idempotency-key-malformed');
    const first = await ask('/posts', KEY, open);
    expect(first.status).to.equal(201);
    expect((await ask('/posts', KEY, open)).body).to.eql(first.body);
    expect(isReplayed(await ask('/posts', KEY, { body }))).to.equal(false);
  });

  it('a caller that has other grants meanwhile is not shown what was kept', async () => {
    const { tokens } = server.project.access;
    const made = await tokens.create({
      name: 'some',
      type: 'custom',
      permissions: [`${POST}.create`, `${POST}.find`],
    });
    const mine = { token: made.key, body };
    const first = await ask('/posts', KEY, mine);
    expect(first.status).to.equal(201);
    const tokenRows = server.project.store.db.collection('mangrove.tokens');
    const keys = server.project.store.db.collection('mangrove.idempotency');
    const kept = JSON.stringify(first.body).replace('"one"', '"kept"');
    await keys.updateOne({ documentId: first.at('data.documentId') }, { $set: { 'answer.body': kept } });
    expect((await ask('/posts', KEY, mine)).at('data.title'), 'the same grants').to.equal('kept');
    await tokenRows.updateOne({ name: 'some' }, { $set: { permissions: [`${POST}.create`] } });
    const again = await atNewServer(mine);
    expect([again.status, again.body]).to.eql([201, first.body]);
    await tokenRows.updateOne({ name: 'some' }, { $set: { permissions: [] } });
    expect((await atNewServer(mine)).status).to.equal(403);
  });
  /** One that has no grants in memory. */
  const atNewServer = async (sent: Sent): Promise<Received> => {
    const other = await startTestServer({ roles }, { beside: server, schemaFolder: folder });
    try {
      return await send(other.url, '/api/posts', { ...sent, headers: { 'idempotency-key': KEY } });
    } finally {
      await other.close();
    }
  };

  it('accounts, files and forms have none: a 400, and nothing is done', async () => {
    const account = { username: 'keyed', email: 'keyed@example.test', password: 'secret-1' };
    for (const [path, sent] of [
      ['/auth/local/register', { body: account, token: undefined }],
      ['/auth/local', { body: { identifier: 'keyed', password: 'secret-1' }, token: undefined }],
      ['/users', { body: { ...account, role: 1 } }],
      [
        '/upload',
        { method: 'POST', body: '--x--', headers: { 'content-type': 'multipart/form-data; boundary=x' } },
      ],
      ['/upload/files/1', { method: 'DELETE' }],
      [
        '/posts',
        { method: 'POST', body: '--x--', headers: { 'content-type': 'multipart/form-data; boundary=x' } },
      ],
    ] as const)
      expect(codeOf(await ask(path, KEY, sent)), path).to.equal('idempotency-key-unsupported');
    expect(await server.project.store.db.collection('mangrove.users').countDocuments()).to.equal(0);
  });

  for (const compat of ['v3', 'v4'] as const)
    it(`clients of ${compat} get the first answer again in their form, and a 400 elsewhere`, async () => {
      const old = await startTestServer(
        { roles, rest: { compat } },
        { beside: server, schemaFolder: folder },
      );
      const at = (path: string) => `${compat === 'v3' ? '' : '/api'}${path}`;
      const headers = { 'idempotency-key': `${KEY}-${compat}` };
      const sent = { token, headers, body: compat === 'v3' ? { title: 'old' } : { data: { title: 'old' } } };
      try {
        const first = await send(old.url, at('/posts'), sent);
        const again = await send(old.url, at('/posts'), sent);
        expect(first.status, JSON.stringify(first.body)).to.be.oneOf([200, 201]);
        expect(isReplayed(again)).to.equal(true);
        expect([again.status, again.body]).to.eql([first.status, first.body]);
        const path = at(`/posts/${String(first.at('id') ?? first.at('data.id'))}`);
        const gone = await send(old.url, path, { token, headers, method: 'DELETE' });
        const goneAgain = await send(old.url, path, { token, headers, method: 'DELETE' });
        expect(gone.status).to.equal(200);
        expect([goneAgain.status, goneAgain.body]).to.eql([gone.status, gone.body]);
        const refused = await send(old.url, at('/upload'), {
          method: 'POST',
          token,
          headers: { ...headers, 'content-type': 'multipart/form-data; boundary=x' },
          body: '--x--',
        });
        expect(codeOf(refused)).to.equal('idempotency-key-unsupported');
      } finally {
        await old.close();
      }
    });

  it('collections of other programs have none', async () => {
    const files = {
      'page/schema.json': {
        kind: 'collectionType',
        info: { singularName: 'page', pluralName: 'pages', displayName: 'page' },
        pluginOptions: { mangrove: { storage: { collection: 'pages', id: 'number', write: true } } },
        attributes: { title: { type: 'string' } },
      },
    };
    const adopted = await startAdopted(files, { pages: [{ _id: 1, title: 'one' }] });
    const { key } = await adopted.project.access.tokens.create({ name: 'other', type: 'full-access' });
    const headers = { 'idempotency-key': KEY };
    try {
      for (const [method, path] of [
        ['POST', '/api/pages'],
        ['PUT', '/api/pages/1'],
        ['DELETE', '/api/pages/1'],
      ] as const) {
        const change = { method, token: key, headers, ...(method !== 'DELETE' && { body }) };
        expect(codeOf(await send(adopted.url, path, change))).to.equal('idempotency-key-unsupported');
      }
      const stored = await adopted.project.store.db.collection('pages').find().toArray();
      expect(stored.map(({ title }) => title)).to.eql(['one']);
    } finally {
      await adopted.close();
    }
  });
});
