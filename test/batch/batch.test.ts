/** `POST /api/batch` (docs/batch.md), on servers with transactions and with the journal. */
import { expect } from 'chai';
import { type Received, type Sent, send } from '../support/send.js';
import { startTwo, type TwoServers } from '../support/standalone.js';

const ARTICLE = 'api::article.article';

for (const deployment of ['transactions', 'standalone'] as const)
  describe(`batch: ${deployment}`, () => {
    let two: TwoServers;
    let token: string;
    before(async () => {
      two = await startTwo(deployment, {
        roles: { public: [`${ARTICLE}.create`, 'api::category.category.create'] },
      });
      token = (await two.servers[0].project.access.tokens.create({ name: 'all', type: 'full-access' })).key;
    });
    after(() => two.close());

    let made = 0;
    const title = () => `b${++made}`;
    const ask = (path: string, sent: Sent = {}, at = 0): Promise<Received> =>
      send(two.servers[at % 2]?.url ?? '', `/api${path}`, { token, ...sent });
    const batch = (operations: readonly object[], more: object = {}, at = 0): Promise<Received> =>
      ask('/batch', { body: { operations, ...more } }, at);
    const db = () => two.servers[0].project.store.db;
    const count = (name: string, filter: object) => db().collection(name).countDocuments(filter);
    const create = (name: string, more: object = {}) => ({
      action: 'create',
      plural: 'articles',
      data: { title: name, ...more },
    });

    it('answers by index, and operations refer to earlier ones', async () => {
      const name = title();
      const answer = await batch([
        { action: 'create', uid: 'api::category.category', data: { name } },
        { ...create(name, { categories: { connect: ['$0.documentId'] } }), status: 'draft' },
        {
          action: 'update',
          plural: 'articles',
          documentId: '$1.documentId',
          data: { body: '$$1.documentId' },
        },
        { action: 'publish', plural: 'articles', documentId: '$1.documentId' },
        create('other', { related: ['$1.documentId'] }),
        { action: 'delete', plural: 'articles', documentId: '$4.documentId' },
      ]);
      expect(answer.status, JSON.stringify(answer.body)).to.equal(200);
      expect([0, 1, 2, 3, 4, 5].map((at) => answer.at(`data.${at}.status`))).to.deep.equal([
        201, 201, 200, 200, 201, 204,
      ]);
      const documentId = String(answer.at('data.1.data.documentId'));
      expect(answer.at('data.5')).to.deep.equal({ status: 204, data: null });
      expect(answer.at('meta')).to.deep.equal({});
      const shown = await ask(`/articles/${documentId}?populate=categories`, {}, 1);
      expect(shown.at('data.title')).to.equal(name);
      expect(shown.at('data.body')).to.equal('$1.documentId');
      expect(shown.at('data.categories.0.documentId')).to.equal(answer.at('data.0.data.documentId'));
      const { categories: _, ...alone } = shown.at('data') as Record<string, unknown>;
      expect(answer.at('data.3.data'), 'the answer of the route').to.deep.equal(alone);
    });

    it('one that fails is named by its index, and nothing is stored', async () => {
      const name = title();
      const answer = await batch([create(name), create(name, { slug: 'not a slug' }), create(name)]);
      expect(answer.status).to.equal(400);
      expect(answer.at('error.details.operation')).to.equal(1);
      expect(answer.at('error.name')).to.equal('ValidationError');
      expect(answer.headers.get('x-error-code')).to.equal('fields-not-valid');
      const missing = await batch([
        create(name),
        { action: 'update', plural: 'articles', documentId: 'x', data: {} },
      ]);
      expect([missing.status, missing.at('error.details.operation')]).to.deep.equal([404, 1]);
      for (const collection of ['articles', 'articles.drafts'])
        expect(await count(collection, { title: name })).to.equal(0);
    });

    it('without atomic, each stands by itself', async () => {
      const name = title();
      const answer = await batch(
        [
          create(name),
          create(name, { slug: 'not a slug' }),
          { action: 'publish', plural: 'articles', documentId: '$1.documentId' },
          { action: 'update', plural: 'articles', documentId: '$0.documentId', data: { views: 3 } },
        ],
        { atomic: false },
      );
      expect(answer.status).to.equal(200);
      expect([0, 1, 2, 3].map((at) => answer.at(`data.${at}.status`))).to.deep.equal([201, 400, 400, 200]);
      expect(answer.at('data.1.code')).to.equal('fields-not-valid');
      expect(answer.at('data.2.code')).to.equal('batch-reference-failed');
      expect(await count('articles', { title: name, views: 3 })).to.equal(1);
    });

    it('the body is checked before anything is done', async () => {
      const name = title();
      const bad: readonly (readonly [object, string, string?])[] = [
        [{ operations: [] }, 'batch-malformed'],
        [{ operations: 'create' }, 'batch-malformed'],
        [{ operations: [create(name), null] }, 'batch-malformed', 'operations.1'],
        [{ operations: [create(name)], atomic: 'yes' }, 'batch-malformed', 'atomic'],
        [{ operations: [create(name)], other: 1 }, 'key-invalid', 'other'],
        [{ operations: [create(name)], atomic: false, dryRun: true }, 'batch-malformed', 'dryRun'],
        [{ operations: [{ ...create(name), action: 'find' }] }, 'batch-malformed', 'operations.0.action'],
        [{ operations: [{ ...create(name), action: 'toString' }] }, 'batch-malformed', 'operations.0.action'],
        [{ operations: [{ ...create(name), documentId: 'x' }] }, 'key-invalid', 'operations.0.documentId'],
        [{ operations: [{ ...create(name), populate: '*' }] }, 'key-invalid', 'operations.0.populate'],
        [
          { operations: [{ ...create(name), plural: 'nothings' }] },
          'content-type-unknown',
          'operations.0.plural',
        ],
        [
          { operations: [{ ...create(name), plural: ['articles'] }] },
          'batch-malformed',
          'operations.0.plural',
        ],
        [{ operations: [{ ...create(name), uid: ARTICLE }] }, 'batch-malformed', 'operations.0.plural'],
        [
          { operations: [{ action: 'create', uid: 'plugin::users-permissions.user', data: {} }] },
          'content-type-unknown',
        ],
        [
          { operations: [{ action: 'update', plural: 'articles', data: {} }] },
          'batch-malformed',
          'operations.0.documentId',
        ],
        [{ operations: [{ action: 'delete', plural: 'articles', documentId: ['a'] }] }, 'batch-malformed'],
        [{ operations: [{ action: 'delete', plural: 'articles', documentId: '\ud800' }] }, 'batch-malformed'],
        [{ operations: [{ action: 'create', plural: 'homepage', data: {} }] }, 'batch-malformed'],
        [
          { operations: [{ ...create(name), locale: { $ne: 'en' } }] },
          'batch-malformed',
          'operations.0.locale',
        ],
        [
          { operations: [create(name), create(name, { categories: ['$1.documentId'] })] },
          'batch-reference-invalid',
          'operations.1.data.categories.0',
        ],
        [
          { operations: [{ action: 'delete', plural: 'articles', documentId: '$7.documentId' }] },
          'batch-reference-invalid',
          'operations.0.documentId',
        ],
        [{ operations: Array.from({ length: 101 }, () => create(name)) }, 'batch-too-long'],
        [
          { operations: [{ action: 'upsert', plural: 'articles', by: 'title', data: {} }] },
          'batch-malformed',
        ],
        [
          { operations: [{ action: 'upsert', plural: 'articles', by: 'constructor', data: {} }] },
          'batch-malformed',
        ],
      ];
      for (const [body, code, path] of bad) {
        const answer = await ask('/batch', { body });
        expect(answer.headers.get('x-error-code'), JSON.stringify(body)).to.equal(code);
        expect(answer.status).to.equal(400);
        if (path !== undefined) expect(answer.at('error.details.path')).to.equal(path);
      }
      expect((await ask('/batch', { body: [] })).status).to.equal(400);
      const populated = await ask('/batch?populate=*', { body: { operations: [create(name)] } });
      expect([populated.status, populated.at('error.details.key')]).to.deep.equal([400, 'populate']);
      expect(await count('articles.drafts', { title: name })).to.equal(0);
    });

    it('each operation needs its own grant, also of the public', async () => {
      const name = title();
      const publicly = (operations: readonly object[], more: object = {}) =>
        send(two.servers[0].url, '/api/batch', { body: { operations, ...more } });
      const answer = await publicly([
        create(name),
        { action: 'delete', plural: 'articles', documentId: 'x' },
      ]);
      expect([answer.status, answer.at('error.details.operation')]).to.deep.equal([403, 1]);
      expect(await count('articles.drafts', { title: name })).to.equal(0);
      const upsert = { action: 'upsert', plural: 'articles', by: 'slug', data: { title: name, slug: name } };
      expect((await publicly([upsert])).status, 'needs create and update').to.equal(403);
      expect((await publicly([create(name)])).status).to.equal(200);
      const each = await publicly([create(name), { ...upsert }], { atomic: false });
      expect([each.at('data.0.status'), each.at('data.1.status')]).to.deep.equal([201, 403]);
      const unknown = await ask('/batch', { body: { operations: [create(name)] }, token: 'nobody' });
      expect(unknown.status).to.equal(401);
    });

    it('a hundred operations are one write', async () => {
      const name = title();
      const operations = Array.from({ length: 100 }, (_, at) =>
        at % 2 === 0
          ? create(name, { slug: `${name}-${at}`, tags: [{ label: 'x' }] })
          : {
              action: 'update',
              plural: 'articles',
              documentId: `$${at - 1}.documentId`,
              data: { views: at },
            },
      );
      const answer = await batch(operations);
      expect(answer.status, JSON.stringify(answer.at('error'))).to.equal(200);
      const stored = await db().collection('articles').find({ title: name }).toArray();
      expect(stored.map(({ views }) => views).sort((a, b) => a - b)).to.deep.equal(
        Array.from({ length: 50 }, (_, at) => at * 2 + 1),
      );
      expect(new Set(stored.map(({ id }) => id)).size).to.equal(50);
    });

    it('conditions: ifMatch takes a revision or an entity tag', async () => {
      const name = title();
      const documentId = String((await batch([create(name)])).at('data.0.data.documentId'));
      const revision = async () =>
        String((await db().collection('articles.drafts').findOne({ documentId }))?.['_rev']);
      const first = await revision();
      const update = (ifMatch: string) => ({
        action: 'update',
        plural: 'articles',
        documentId,
        data: { title: name },
        ifMatch,
      });
      expect((await batch([update(first)])).status).to.equal(200);
      const refused = await batch([create(name), update(`"${first}-abc"`)]);
      expect([refused.status, refused.at('error.details.operation')]).to.deep.equal([412, 1]);
      expect(refused.at('error.details.revision')).to.equal(await revision());
      expect((await batch([update(`"${await revision()}-abc"`)])).status).to.equal(200);
      expect((await batch([update('a "b')])).headers.get('x-error-code')).to.equal('precondition-malformed');
      const second = await batch([update(await revision()), update(await revision())]);
      expect([second.status, second.at('error.details.operation')], 'changed by the first').to.deep.equal([
        412, 1,
      ]);
    });

    it('has no conditions of its own: a 400, and nothing is written', async () => {
      const name = title();
      for (const header of ['if-match', 'if-none-match']) {
        const answer = await ask('/batch', {
          headers: { [header]: '*' },
          body: { operations: [create(name)] },
        });
        expect([answer.status, answer.headers.get('x-error-code')]).to.deep.equal([
          400,
          'precondition-unsupported',
        ]);
      }
      expect(await count('articles.drafts', { title: name })).to.equal(0);
    });

    it('upsert creates once, then updates, also at the same time', async () => {
      const slug = title();
      const upsert = (views: number, more: object = {}) => ({
        action: 'upsert',
        plural: 'articles',
        by: 'slug',
        data: { title: slug, slug, views },
        ...more,
      });
      const answers = await Promise.all(Array.from({ length: 6 }, (_, at) => batch([upsert(at)], {}, at)));
      expect(answers.map(({ status }) => status)).to.deep.equal([200, 200, 200, 200, 200, 200]);
      expect(answers.filter((one) => one.at('data.0.status') === 201).length).to.equal(1);
      expect(await count('articles', { slug })).to.equal(1);
      const twice = await batch([upsert(7), upsert(8), { ...upsert(9), locale: 'fr' }]);
      expect([0, 1, 2].map((at) => twice.at(`data.${at}.status`))).to.deep.equal([200, 200, 201]);
      expect(await count('articles.drafts', { slug })).to.equal(2);
      const none = await batch([upsert(1, { data: { title: slug } })]);
      expect([none.status, none.at('error.details.operation')]).to.deep.equal([400, 0]);
      const byNumber = await batch([upsert(1, { data: { title: slug, slug: { $ne: null } } })]);
      expect(byNumber.status).to.equal(400);
    });

    it('two batches on the same documents at once: one after the other', async () => {
      const [a, b] = [title(), title()];
      const made = await batch([create(a), create(b)]);
      const ids = [0, 1].map((at) => String(made.at(`data.${at}.data.documentId`)));
      const answers = await Promise.all(
        Array.from({ length: 10 }, (_, at) =>
          batch(
            (at % 4 < 2 ? ids : ids.toReversed()).map((documentId) => ({
              action: 'update',
              plural: 'articles',
              documentId,
              data: { body: `of ${at}` },
            })),
            {},
            at,
          ),
        ),
      );
      expect(answers.map(({ status }) => status)).to.deep.equal(Array.from({ length: 10 }, () => 200));
      const bodies = await Promise.all(
        ['articles', 'articles.drafts'].flatMap((name) =>
          ids.map(async (documentId) => (await db().collection(name).findOne({ documentId }))?.['body']),
        ),
      );
      expect(new Set(bodies).size).to.equal(1);
    });

    it('a dry run says what would be stored, and stores nothing', async () => {
      const name = title();
      const documentId = String((await batch([create(name)])).at('data.0.data.documentId'));
      const before = await count('mangrove.claims', {});
      const answer = await batch(
        [
          { action: 'update', plural: 'articles', documentId, data: { title: `${name}!` } },
          { ...create(name, { slug: `${name}-dry` }) },
          { action: 'publish', plural: 'articles', documentId: '$1.documentId' },
        ],
        { dryRun: true },
      );
      expect(answer.status, JSON.stringify(answer.body)).to.equal(200);
      expect(answer.at('meta.dryRun')).to.equal(true);
      const changes = answer.at('meta.changes') as Record<string, unknown>[];
      expect(
        changes.map(({ change, version, documentId: id }) => [change, version, id === documentId]),
      ).to.have.deep.members([
        ['update', 'draft', true],
        ['update', 'published', true],
        ['create', 'draft', false],
        ['create', 'published', false],
      ]);
      const refused = await batch([create(name, { slug: 'not a slug' })], { dryRun: true });
      expect([refused.status, refused.at('error.details.operation')]).to.deep.equal([400, 0]);
      expect(await count('articles.drafts', { title: name })).to.equal(1);
      expect(await count('mangrove.claims', {})).to.equal(before);
    });
  });
