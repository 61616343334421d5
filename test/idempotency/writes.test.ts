/** `Idempotency-Key` on changes of content, on servers with transactions and with the journal (docs/contract.md). */
import { expect } from 'chai';
import { openJournal } from '../../src/store/writes/journal.js';
import { type Received, type Sent, send } from '../support/send.js';
import { startTwo, type TwoServers } from '../support/standalone.js';
import { startTestServer } from '../support/test-server.js';
import { type Cut, commandOf, startProxy } from '../support/wire-proxy.js';
import { startDying } from './dying.js';

const UID = 'api::article.article';
const CLIENTS = 20;
/** When servers are killed: at their commit, or so many milliseconds after a write began. */
const KILLED = ['before', 'after', ...(process.env['MANGROVE_SOAK'] ? ['1', '3', '6', '10'] : [])];

for (const deployment of ['transactions', 'standalone'] as const)
  describe(`idempotency keys: ${deployment}`, function () {
    this.timeout(180_000);
    let two: TwoServers;
    let token: string;
    before(async () => {
      two = await startTwo(deployment, {});
      token = (await two.servers[0].project.access.tokens.create({ name: 'all', type: 'full-access' })).key;
    });
    after(() => two.close());

    let made = 0;
    const newKey = (): string => `key ${++made}`;
    const ask = (path: string, key: string, sent: Sent = {}, at = 0): Promise<Received> =>
      send(two.servers[at % 2]?.url ?? '', `/api${path}`, {
        token,
        ...sent,
        headers: { 'idempotency-key': `"${key}"`, ...sent.headers },
      });
    const post = (key: string, title: string, at = 0, query = '') =>
      ask(`/articles${query}`, key, { body: { data: { title } } }, at);
    const documents = () => two.servers[0].project.documents(UID);
    const store = () => two.servers[0].project.store;
    const titled = (title: string) => store().db.collection('articles').countDocuments({ title });
    const codeOf = ({ headers }: Received) => headers.get('x-error-code');
    const isReplayed = ({ headers }: Received) => headers.get('idempotent-replayed') === 'true';
    const create = async (): Promise<string> =>
      String((await documents().create({ data: { title: newKey() }, status: 'published' })).documentId);

    it('a creation that is sent again gets the first answer, in any process, and creates nothing', async () => {
      const key = newKey();
      const first = await post(key, key, 0, '?populate=*');
      expect(first.status).to.equal(201);
      expect(isReplayed(first)).to.equal(false);
      const documentId = String(first.at('data.documentId'));
      await documents().update({ documentId, data: { title: 'changed since' }, status: 'published' });
      for (const at of [0, 1]) {
        const again = await post(key, key, at, '?populate=*');
        expect(again.status).to.equal(201);
        expect(again.body).to.eql(first.body);
        expect(isReplayed(again)).to.equal(true);
      }
      await documents().delete({ documentId });
      expect((await post(key, key, 1, '?populate=*')).body).to.eql(first.body);
      expect(await titled(key)).to.equal(0);
    });

    it('a bare key is the same as the quoted one', async () => {
      const first = await ask('/articles', '', {
        body: { data: { title: 'a' } },
        headers: { 'idempotency-key': 'bare-1' },
      });
      const again = await ask('/articles', 'bare-1', { body: { data: { title: 'a' } } });
      expect(again.body).to.eql(first.body);
    });

    it('another body or query under the key is a 422, and writes nothing', async () => {
      const key = newKey();
      expect((await post(key, key)).status).to.equal(201);
      for (const refused of [await post(key, 'other'), await post(key, key, 1, '?status=draft')]) {
        expect(refused.status).to.equal(422);
        expect(refused.at('error.name')).to.equal('UnprocessableEntityError');
        expect(codeOf(refused)).to.equal('idempotency-key-reused');
      }
      expect(await titled('other')).to.equal(0);
    });

    it('callers, paths and methods have keys of their own', async () => {
      const key = newKey();
      const first = await post(key, key);
      const { tokens } = two.servers[0].project.access;
      const other = (await tokens.create({ name: key, type: 'full-access' })).key;
      const theirs = await ask('/articles', key, { token: other, body: { data: { title: key } } });
      expect(theirs.status).to.equal(201);
      expect(theirs.at('data.documentId')).to.not.equal(first.at('data.documentId'));
      const path = `/articles/${first.at('data.documentId')}`;
      expect((await ask(path, key, { method: 'PUT', body: { data: { title: 'put' } } })).status).to.equal(
        200,
      );
      expect((await ask(path, key, { method: 'DELETE' })).status).to.equal(204);
    });

    it('what fails before the write keeps nothing', async () => {
      const key = newKey();
      expect((await ask('/articles', key, { body: { data: { nope: 1 } } })).status).to.equal(400);
      expect(
        (await ask('/articles', key, { body: { data: { title: key } }, token: 'nobody' })).status,
      ).to.equal(401);
      expect((await post(key, key)).status).to.equal(201);
    });

    it('edits, deletions and changes of versions are carried out once', async () => {
      const documentId = await create();
      const path = `/articles/${documentId}`;
      const put = { method: 'PUT', body: { data: { title: 'put' } } };
      const edited = await ask(path, 'edit', put);
      await documents().update({ documentId, data: { title: 'since' } });
      expect((await ask(path, 'edit', put, 1)).body).to.eql(edited.body);
      expect((await documents().findOne({ documentId, status: 'draft' }))?.['title']).to.equal('since');
      for (const action of ['publish', 'unpublish', 'discard-draft', 'publish']) {
        const key = newKey();
        const first = await ask(`${path}/${action}`, key, { method: 'POST' });
        const again = await ask(`${path}/${action}`, key, { method: 'POST' }, 1);
        expect(again.status, action).to.equal(first.status);
        expect(again.status === 200 ? again.body : codeOf(again)).to.eql(
          first.status === 200 ? first.body : codeOf(first),
        );
        expect(isReplayed(again)).to.equal(first.status === 200);
      }
      expect((await ask(path, 'gone', { method: 'DELETE' })).status).to.equal(204);
      expect(
        await store().db.collection('mangrove.idempotency').countDocuments({ documentId }),
      ).to.be.greaterThan(3);
      await store()
        .db.collection('articles')
        .insertOne({ documentId, locale: 'en', title: 'back', id: 9_999_999 });
      const again = await ask(path, 'gone', { method: 'DELETE' }, 1);
      expect([again.status, isReplayed(again)]).to.eql([204, true]);
      expect(await store().db.collection('articles').countDocuments({ documentId })).to.equal(1);
    });

    it('a single type too', async () => {
      const put = (at: number) =>
        ask('/homepage', 'single', { method: 'PUT', body: { data: { title: 'home' } } }, at);
      const first = await put(0);
      expect(first.status).to.equal(200);
      const again = await put(1);
      expect(isReplayed(again)).to.equal(true);
      expect(again.body).to.eql(first.body);
    });

    it('a deletion of nothing keeps nothing', async () => {
      expect((await ask('/articles/none', 'none', { method: 'DELETE' })).status).to.equal(204);
      expect(isReplayed(await ask('/articles/none', 'none', { method: 'DELETE' }))).to.equal(false);
    });

    it('an edit on condition of a revision is not a 412 when it is sent again', async () => {
      const documentId = await create();
      const stored = await store().db.collection('articles.drafts').findOne({ documentId });
      const sent = {
        method: 'PUT',
        body: { data: { title: 'conditional' } },
        headers: { 'if-match': `"${stored?.['_rev']}"` },
      };
      const first = await ask(`/articles/${documentId}`, 'condition', sent);
      expect(first.status).to.equal(200);
      const again = await ask(`/articles/${documentId}`, 'condition', sent, 1);
      expect(again.body).to.eql(first.body);
      expect((await ask(`/articles/${documentId}`, 'another', sent)).status).to.equal(412);
    });

    it('while the first is being carried out, others are a 409', async () => {
      const key = newKey();
      let entered = (): void => undefined;
      let release = (): void => undefined;
      const begun = new Promise<void>((resolve) => {
        entered = resolve;
      });
      const released = new Promise<void>((resolve) => {
        release = resolve;
      });
      two.servers[0].project.documents.use(
        async ({ params }, next) => {
          if (JSON.stringify(params).includes(`"${key}"`)) {
            entered();
            await released;
          }
          return next();
        },
        ['create'],
        [UID],
      );
      const first = post(key, key);
      await begun;
      expect(codeOf(await post(key, key))).to.equal('idempotency-key-in-use');
      expect(codeOf(await post(key, 'other'))).to.equal('idempotency-key-reused');
      release();
      const answer = await first;
      expect(answer.status).to.equal(201);
      expect((await post(key, key)).body).to.eql(answer.body);
    });

    it(`of ${CLIENTS} at once in one process, one is carried out`, async () => {
      const key = newKey();
      const answers = await Promise.all(Array.from({ length: CLIENTS }, () => post(key, key)));
      const done = answers.filter(({ status }) => status === 201);
      expect(done.filter((answer) => !isReplayed(answer))).to.have.length(1);
      for (const { body } of done) expect(body).to.eql(done[0]?.body);
      for (const other of answers.filter(({ status }) => status !== 201))
        expect(codeOf(other)).to.equal('idempotency-key-in-use');
      expect(await titled(key)).to.equal(1);
    });

    it('in two processes, the slower one gets the answer of the faster one, or a 409', async () => {
      for (let round = 0; round < 4; round++) {
        const key = newKey();
        const answers = await Promise.all([0, 1].map((at) => post(key, key, at)));
        const [done, ...others] = answers.sort((a, b) => a.status - b.status);
        expect(done?.status).to.equal(201);
        for (const other of others)
          if (other.status === 201) expect(other.body).to.eql(done?.body);
          else expect(codeOf(other)).to.equal('idempotency-key-in-use');
        expect(await titled(key)).to.equal(1);
        expect((await post(key, key, round)).body).to.eql(done?.body);
      }
    });

    it('what the faster one has written is never the error of the slower one', async () => {
      for (let round = 0; round < 4; round++) {
        const key = newKey();
        const category = (at: number) => ask('/categories', key, { body: { data: { name: key } } }, at);
        for (const answer of await Promise.all([category(0), category(1)]))
          if (answer.status !== 201) expect(codeOf(answer)).to.equal('idempotency-key-in-use');
        const documentId = await create();
        const stored = await store().db.collection('articles.drafts').findOne({ documentId });
        const put = (at: number) =>
          ask(
            `/articles/${documentId}`,
            key,
            {
              method: 'PUT',
              body: { data: { title: key } },
              headers: { 'if-match': `"${stored?.['_rev']}"` },
            },
            at,
          );
        for (const answer of await Promise.all([put(0), put(1)]))
          if (answer.status !== 200) expect(codeOf(answer)).to.equal('idempotency-key-in-use');
      }
    });

    it('a large answer is not kept: the document is shown as it is', async () => {
      const key = newKey();
      const body = { data: { title: key, body: 'x'.repeat(300_000) } };
      const first = await ask('/articles', key, { body });
      const documentId = String(first.at('data.documentId'));
      await documents().update({ documentId, data: { title: 'since' }, status: 'published' });
      const again = await ask('/articles', key, { body }, 1);
      expect([again.status, again.at('data.documentId'), again.at('data.title')]).to.eql([
        201,
        documentId,
        'since',
      ]);
      expect(isReplayed(again)).to.equal(true);
      expect(await titled(key)).to.equal(0);
    });

    it('a request without a key stores none', async () => {
      const keys = store().db.collection('mangrove.idempotency');
      const before = await keys.countDocuments();
      await send(two.servers[0].url, '/api/articles', { token, body: { data: { title: 'keyless' } } });
      expect(await keys.countDocuments()).to.equal(before);
    });

    it('keys end after a day', async () => {
      const indexes = await store().db.collection('mangrove.idempotency').listIndexes().toArray();
      expect(indexes.find(({ name }) => name === 'at')?.['expireAfterSeconds']).to.equal(86_400);
    });

    it('a connection that closes at any command loses no write and repeats none', async () => {
      const direct = two.servers[0];
      const proxy = await startProxy(direct.project.databaseUri);
      const databaseUri = proxy.uri.includes('serverMonitoringMode')
        ? proxy.uri
        : `${proxy.uri}&serverMonitoringMode=poll&heartbeatFrequencyMS=500`;
      const server = await startTestServer({}, { beside: direct, databaseUri });
      const aside = new Set([
        'hello',
        'ismaster',
        'buildInfo',
        'ping',
        'endSessions',
        'killCursors',
        'abortTransaction',
      ]);
      try {
        for (const cut of ['cut before', 'cut after', 'half close'] satisfies Cut[])
          for (let at = 1; at < 25; at++) {
            const key = newKey();
            const sent = {
              token,
              body: { data: { title: key } },
              headers: { 'idempotency-key': `"${key}"` },
            };
            let count = 0;
            proxy.meddle = (message) => {
              const command = commandOf(message);
              if (command === null || aside.has(command)) return 0;
              return ++count === at ? cut : 0;
            };
            const first = await send(server.url, '/api/articles', sent);
            proxy.meddle = () => 0;
            expect(first.status, JSON.stringify(first.body)).to.be.oneOf([201, 409, 503]);
            await openJournal(direct.project.store.db, 60).recoverAll();
            const again = await post(key, key);
            expect(again.status, `${cut} at ${at}: ${JSON.stringify(again.body)}`).to.equal(201);
            if (first.status === 201) expect(again.body).to.eql(first.body);
            expect(await titled(key), `${cut} at ${at}`).to.equal(1);
            if (count < at) break;
          }
      } finally {
        await server.close();
        await proxy.close();
      }
    });

    for (const when of KILLED)
      it(`a server that is killed ${/\d/.test(when) ? `${when} ms into a write` : `${when} its commit`}: sent again, it is written once`, async () => {
        const key = newKey();
        const { url, ended } = await startDying(two, when);
        const sent = { token, body: { data: { title: key } }, headers: { 'idempotency-key': `"${key}"` } };
        await send(url, '/api/articles', sent).catch(() => null);
        await ended;
        if (when === 'before' || when === 'after')
          expect(await titled(key)).to.equal(when === 'after' ? 1 : 0);
        let answer = await post(key, key, 1);
        for (let tries = 0; answer.status === 409 && tries < 200; tries++) {
          await new Promise((resolve) => setTimeout(resolve, 100));
          answer = await post(key, key, 1);
        }
        expect(answer.status, JSON.stringify(answer.body)).to.equal(201);
        expect(answer.at('data.title')).to.equal(key);
        if (when === 'after') expect(isReplayed(answer)).to.equal(true);
        expect(await titled(key)).to.equal(1);
        expect((await post(key, key)).body).to.eql(answer.body);
      });
  });
