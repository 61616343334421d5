/** `Idempotency-Key` on batches (docs/batch.md), on servers with transactions and with the journal. */
import { expect } from 'chai';
import { until } from '../../packages/engine/test/support/until.js';
import { JOURNAL } from '../../src/store/writes/journal-head.js';
import { type Received, type Sent, send } from '../support/send.js';
import { startTwo, type TwoServers } from '../support/standalone.js';
import { startDying } from './dying.js';

const CLIENTS = 12;
/** When servers are killed: at their commit, or so many milliseconds after a write began. */
const KILLED = ['before', 'committed', ...(process.env['MANGROVE_SOAK'] ? ['2', '8'] : [])];

for (const deployment of ['transactions', 'standalone'] as const)
  describe(`idempotency keys of batches: ${deployment}`, function () {
    this.timeout(180_000);
    let two: TwoServers;
    let token: string;
    before(async () => {
      two = await startTwo(deployment, {});
      token = (await two.servers[0].project.access.tokens.create({ name: 'all', type: 'full-access' })).key;
    });
    after(() => two.close());

    let made = 0;
    const newKey = (): string => `batch ${++made}`;
    const sentWith = (key: string, operations: readonly object[], more: object = {}): Sent => ({
      token,
      body: { operations, ...more },
      headers: { 'idempotency-key': `"${key}"` },
    });
    const ask = (key: string, operations: readonly object[], more: object = {}, at = 0): Promise<Received> =>
      send(two.servers[at % 2]?.url ?? '', '/api/batch', sentWith(key, operations, more));
    const create = (title: string, more: object = {}) => ({
      action: 'create',
      plural: 'articles',
      data: { title, ...more },
    });
    /** Two entries, of which the second refers to the first. */
    const both = (name: string) => [
      { action: 'create', plural: 'categories', data: { name } },
      create(name, { categories: ['$0.documentId'] }),
    ];
    const db = () => two.servers[0].project.store.db;
    const written = async (name: string) => [
      await db().collection('categories').countDocuments({ name }),
      await db().collection('articles').countDocuments({ title: name }),
    ];
    const codeOf = ({ headers }: Received) => headers.get('x-error-code');
    const isReplayed = ({ headers }: Received) => headers.get('idempotent-replayed') === 'true';

    it('a batch that is sent again gets the first answer, in any process, and writes nothing', async () => {
      const key = newKey();
      const first = await ask(key, both(key));
      expect(first.status, JSON.stringify(first.body)).to.equal(200);
      expect(isReplayed(first)).to.equal(false);
      const documentId = String(first.at('data.1.data.documentId'));
      await two.servers[0].project.documents('api::article.article').update({
        documentId,
        data: { title: 'since' },
        status: 'published',
      });
      for (const at of [0, 1]) {
        const again = await ask(key, both(key), {}, at);
        expect([again.status, again.body, isReplayed(again)]).to.eql([200, first.body, true]);
      }
      expect(await written(key)).to.eql([1, 0]);
    });

    it('another body under the key is a 422', async () => {
      const key = newKey();
      expect((await ask(key, both(key))).status).to.equal(200);
      for (const at of [0, 1]) {
        const other = await ask(key, both('other'), {}, at);
        expect([other.status, codeOf(other)]).to.eql([422, 'idempotency-key-reused']);
      }
      expect(await written('other')).to.eql([0, 0]);
    });

    it('a batch of which an operation fails keeps nothing', async () => {
      const key = newKey();
      const refused = await ask(key, [...both(key), create(key, { slug: 'not a slug' })]);
      expect([refused.status, refused.at('error.details.operation')]).to.eql([400, 2]);
      const fixed = await ask(key, both(key));
      expect([fixed.status, isReplayed(fixed)]).to.eql([200, false]);
      expect(await written(key)).to.eql([1, 1]);
    });

    it('without atomic it has no key: a 400, and nothing is written', async () => {
      const key = newKey();
      const refused = await ask(key, both(key), { atomic: false });
      expect([refused.status, codeOf(refused)]).to.eql([400, 'idempotency-key-unsupported']);
      expect(await written(key)).to.eql([0, 0]);
    });

    it('a dry run keeps no key', async () => {
      const key = newKey();
      expect((await ask(key, both(key), { dryRun: true })).at('meta.dryRun')).to.equal(true);
      expect((await ask(key, both(key))).status).to.equal(200);
      expect(await written(key)).to.eql([1, 1]);
    });

    it('of an answer that is too large to be kept, the entries are named', async () => {
      const key = newKey();
      const operations = [
        create(key, { body: 'x'.repeat(300_000) }),
        { action: 'delete', plural: 'articles', documentId: '$0.documentId' },
        create(key),
      ];
      const first = await ask(key, operations);
      expect(first.status, JSON.stringify(first.at('error'))).to.equal(200);
      // Without an answer that is kept, the key is in use until the journal is done with the write.
      await until(
        async () => (await db().collection(JOURNAL).countDocuments()) === 0,
        () => 'the write is not complete',
      );
      const again = await ask(key, operations, {}, 1);
      expect(isReplayed(again)).to.equal(true);
      expect(again.body).to.eql({
        data: [0, 1, 2].map((at) => ({
          status: first.at(`data.${at}.status`),
          data: at === 1 ? null : { documentId: first.at(`data.${at}.data.documentId`) },
        })),
        meta: {},
      });
      expect((await ask(key, operations)).body).to.eql(again.body);
      expect(await db().collection('articles').countDocuments({ title: key })).to.equal(1);
    });

    it(`of ${CLIENTS} at once in two processes, one is carried out`, async () => {
      for (let round = 0; round < 3; round++) {
        const key = newKey();
        const answers = await Promise.all(
          Array.from({ length: CLIENTS }, (_, at) => ask(key, both(key), {}, at)),
        );
        const done = answers.filter(({ status }) => status === 200);
        expect(done.filter((answer) => !isReplayed(answer))).to.have.length(1);
        for (const { body } of done) expect(body).to.eql(done[0]?.body);
        for (const other of answers.filter(({ status }) => status !== 200))
          expect(codeOf(other)).to.equal('idempotency-key-in-use');
        expect(await written(key)).to.eql([1, 1]);
      }
    });

    it('what the faster one has written is never the error of the slower one', async () => {
      for (let round = 0; round < 5; round++) {
        const key = newKey();
        const slugged = [create(key, { slug: `slug-${deployment}-${made}` })];
        for (const answer of await Promise.all([0, 1].map((at) => ask(key, slugged, {}, at))))
          if (answer.status !== 200) expect(codeOf(answer)).to.equal('idempotency-key-in-use');
      }
    });

    for (const when of KILLED)
      it(`a server that is killed at ${when}: sent again, it is written once`, async () => {
        const key = newKey();
        const { url, ended } = await startDying(two, when);
        await send(url, '/api/batch', sentWith(key, both(key))).catch(() => null);
        await ended;
        const isCommitted = when === 'committed';
        if (isCommitted || when === 'before')
          expect(await written(key)).to.eql(isCommitted ? [1, 1] : [0, 0]);
        let answer = await ask(key, both(key), {}, 1);
        for (let tries = 0; answer.status === 409 && tries < 200; tries++) {
          await new Promise((resolve) => setTimeout(resolve, 100));
          answer = await ask(key, both(key), {}, 1);
        }
        expect(answer.status, JSON.stringify(answer.body)).to.equal(200);
        if (isCommitted)
          expect([isReplayed(answer), answer.at('data.1.data.title')]).to.eql([true, undefined]);
        expect(await written(key)).to.eql([1, 1]);
        expect((await ask(key, both(key))).body).to.eql(answer.body);
      });
  });
