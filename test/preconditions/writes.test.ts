/** Writes on condition of a revision, on servers with transactions and with the journal (docs/contract.md). */

import { ObjectId } from 'bson';
import { expect } from 'chai';
import { type Received, type Sent, send } from '../support/send.js';
import { startTwo, type TwoServers } from '../support/standalone.js';

const UID = 'api::article.article';
const CLIENTS = 20;

for (const deployment of ['transactions', 'standalone'] as const)
  describe(`preconditions of writes: ${deployment}`, () => {
    let two: TwoServers;
    let token: string;
    before(async () => {
      two = await startTwo(deployment, {});
      token = (await two.servers[0].project.access.tokens.create({ name: 'all', type: 'full-access' })).key;
    });
    after(() => two.close());

    let made = 0;
    const ask = (path: string, sent: Sent = {}, at = 0): Promise<Received> =>
      send(two.servers[at % 2]?.url ?? '', `/api${path}`, { token, ...sent });
    const documents = () => two.servers[0].project.documents(UID);
    const create = async (data: object = {}, status = 'published'): Promise<string> =>
      String((await documents().create({ data: { title: `t${++made}`, ...data }, status })).documentId);
    const revision = async (documentId: string, version: 'draft' | 'published' = 'draft', locale = 'en') => {
      const name = version === 'draft' ? 'articles.drafts' : 'articles';
      const stored = await two.servers[0].project.store.db.collection(name).findOne({ documentId, locale });
      return stored && String(stored['_rev']);
    };
    const put = (documentId: string, headers: Sent['headers'], title = 'new', query = '', at = 0) =>
      ask(
        `/articles/${documentId}${query}`,
        { method: 'PUT', body: { data: { title } }, headers: headers ?? {} },
        at,
      );
    const title = async (documentId: string, locale = 'en') =>
      (await documents().findOne({ documentId, status: 'draft', locale }))?.['title'];

    it('an edit names the revision that it changes, and the next needs the next', async () => {
      const documentId = await create();
      const first = await revision(documentId);
      expect((await put(documentId, { 'if-match': `"${first}-digest"` }, 'one')).status).to.equal(200);
      const refused = await put(documentId, { 'if-match': `"${first}-digest"` }, 'two');
      expect(refused.status).to.equal(412);
      expect(refused.body).to.eql({
        data: null,
        error: {
          status: 412,
          name: 'PreconditionFailedError',
          message: 'Precondition Failed',
          details: { revision: await revision(documentId), locale: 'en', code: 'precondition-failed' },
        },
      });
      expect(refused.headers.get('x-error-code')).to.equal('precondition-failed');
      expect(await title(documentId)).to.equal('one');
      const named = String(refused.at('error.details.revision'));
      expect((await put(documentId, { 'if-match': `"${named}"` }, 'two')).status).to.equal(200);
    });

    it('the published entry has the revision of the draft that was published', async () => {
      const documentId = await create();
      expect(await revision(documentId, 'published')).to.equal(await revision(documentId));
      await put(documentId, {}, 'other');
      expect(await revision(documentId, 'published')).to.equal(await revision(documentId));
      await ask(`/articles/${documentId}/publish`, { method: 'POST' });
      expect(await revision(documentId, 'published')).to.equal(await revision(documentId));
      await put(documentId, {}, 'draft', '?status=draft');
      await ask(`/articles/${documentId}/discard-draft`, { method: 'POST' });
      expect(await revision(documentId, 'published')).to.equal(await revision(documentId));
    });

    const EDITS: readonly (readonly [string, string, string])[] = [
      ['PUT', '', ''],
      ['PUT', '?status=draft', ''],
      ['DELETE', '', ''],
      ['POST', '/publish', ''],
      ['POST', '/unpublish', ''],
      ['POST', '/discard-draft', ''],
    ];
    const edit = (documentId: string, [method, path]: (typeof EDITS)[number], match: string, at = 0) =>
      ask(
        `/articles/${documentId}${path}`,
        {
          method,
          headers: { 'if-match': match },
          ...(method === 'PUT' && { body: { data: { title: 'edit' } } }),
        },
        at,
      );
    for (const row of EDITS) {
      it(`${row.join(' ')} never overwrites a draft that was not seen`, async () => {
        const documentId = await create();
        const seen = `"${await revision(documentId, 'published')}-x"`;
        await put(documentId, {}, 'unseen', '?status=draft');
        const before = await revision(documentId);
        const refused = await edit(documentId, row, seen);
        expect(refused.status).to.equal(412);
        expect(refused.at('error.details.revision')).to.equal(before);
        expect(await revision(documentId)).to.equal(before);
        expect(await revision(documentId, 'published')).to.not.equal(null);
        expect((await edit(documentId, row, `"${before}"`)).status).to.be.oneOf([200, 204]);
      });

      it(`${row.join(' ')}: of ${CLIENTS} clients that saw the same, one wins`, async () => {
        const documentId = await create();
        const seen = `"${await revision(documentId)}"`;
        const answers = await Promise.all(
          Array.from({ length: CLIENTS }, (_, at) => edit(documentId, row, seen, at)),
        );
        const statuses = answers.map(({ status }) => status).sort();
        const isDelete = row[0] === 'DELETE';
        const lost = row[1] === '/unpublish' || isDelete ? [404, 412] : [412];
        expect(statuses.filter((status) => status < 300)).to.have.length(1);
        for (const status of statuses.filter((status) => status >= 300)) expect(status).to.be.oneOf(lost);
      });
    }

    it('a document that was unpublished is not published again by an edit that did not see that', async () => {
      const documentId = await create();
      const seen = await revision(documentId, 'published');
      await ask(`/articles/${documentId}/unpublish`, { method: 'POST' });
      expect((await put(documentId, { 'if-match': `"${seen}"` })).status).to.equal(412);
    });

    it('locales are separate', async () => {
      const documentId = await create();
      await put(documentId, {}, 'français', '?locale=fr');
      const [en, fr] = [await revision(documentId), await revision(documentId, 'draft', 'fr')];
      expect((await put(documentId, { 'if-match': `"${en}"` }, 'x', '?locale=fr')).status).to.equal(412);
      expect((await put(documentId, { 'if-match': `"${fr}"` }, 'y', '?locale=fr')).status).to.equal(200);
      const both = {
        'if-match': `"${await revision(documentId)}", "${await revision(documentId, 'draft', 'fr')}"`,
      };
      const one = { 'if-match': `"${await revision(documentId)}"` };
      const remove = (headers: Sent['headers']) =>
        ask(`/articles/${documentId}?locale=*`, { method: 'DELETE', headers: headers ?? {} });
      expect((await remove(one)).status).to.equal(412);
      expect(await revision(documentId)).to.not.equal(null);
      expect((await remove(both)).status).to.equal(204);
    });

    it('a locale that does not exist yet has no revision', async () => {
      const documentId = await create();
      const refused = await put(
        documentId,
        { 'if-match': `"${await revision(documentId)}"` },
        'x',
        '?locale=de',
      );
      expect([refused.status, refused.at('error.details')]).to.eql([
        412,
        { revision: null, locale: 'de', code: 'precondition-failed' },
      ]);
      expect((await put(documentId, { 'if-match': '*' }, 'x', '?locale=de')).status).to.equal(412);
      expect((await put(documentId, { 'if-none-match': '*' }, 'x', '?locale=de')).status).to.equal(200);
      expect((await put(documentId, { 'if-none-match': '*' }, 'y', '?locale=de')).status).to.equal(412);
      expect(await title(documentId, 'de')).to.equal('x');
    });

    it('*, lists, weak tags and tags that are none', async () => {
      const documentId = await create();
      const tag = `"${await revision(documentId)}-1"`;
      expect((await put(documentId, { 'if-match': `W/${tag}` })).status).to.equal(412);
      expect((await put(documentId, { 'if-match': '"other"' })).status).to.equal(412);
      expect((await put(documentId, { 'if-none-match': `W/${tag}` })).status).to.equal(412);
      expect((await put(documentId, { 'if-match': `"other-1", ${tag}` })).status).to.equal(200);
      expect((await put(documentId, { 'if-match': '*' })).status).to.equal(200);
      expect((await put(documentId, { 'if-none-match': '"other-1"' })).status).to.equal(200);
      for (const header of ['if-match', 'if-none-match']) {
        const refused = await put(documentId, { [header]: 'nonsense' });
        expect([refused.status, refused.headers.get('x-error-code')]).to.eql([400, 'precondition-malformed']);
      }
    });

    it('a document that does not exist has no revision', async () => {
      const none = { headers: { 'if-match': '*' } };
      expect((await put('nothing', none.headers)).status).to.equal(404);
      expect((await ask('/articles/nothing', { method: 'DELETE', ...none })).status).to.equal(412);
      expect((await ask('/articles', { body: { data: { title: 'x' } }, ...none })).status).to.equal(412);
      expect((await ask('/homepage', { method: 'DELETE', ...none })).status).to.equal(412);
      const single = { method: 'PUT', body: { data: { title: 'x' } } };
      expect((await ask('/homepage', { ...single, ...none })).status).to.equal(412);
      const absent = { headers: { 'if-none-match': '*' } };
      const made = await Promise.all(
        Array.from({ length: CLIENTS }, (_, at) => ask('/homepage', { ...single, ...absent }, at)),
      );
      expect(made.map(({ status }) => status).filter((status) => status === 200)).to.have.length(1);
      expect(new Set(made.map(({ status }) => status))).to.eql(new Set([200, 412]));
    });

    it('of creations on condition that the unique value is free, one wins', async () => {
      const slug = `slug-${++made}`;
      const sent = { body: { data: { title: 'x', slug } }, headers: { 'if-none-match': '*' } };
      const answers = await Promise.all(
        Array.from({ length: CLIENTS }, (_, at) => ask('/articles', sent, at)),
      );
      expect(answers.filter(({ status }) => status === 201)).to.have.length(1);
      const lost = answers.filter(({ status }) => status !== 201);
      for (const { status, at } of lost)
        expect([status, at('error.details.errors.0.path'), at('error.details.code')]).to.eql([
          412,
          ['slug'],
          'precondition-failed',
        ]);
      const plain = await ask('/articles', { body: sent.body });
      expect([plain.status, plain.at('error.name')]).to.eql([400, 'ValidationError']);
    });

    it('an entry that another program wrote has no revision', async () => {
      const { db } = two.servers[0].project.store;
      const documentId = `foreign${++made}`;
      const entry = { id: 90_000 + made, documentId, locale: 'en', title: 'theirs', publishedAt: null };
      await db.collection('articles.drafts').insertOne({ _id: new ObjectId(), ...entry });
      const refused = await put(documentId, { 'if-match': '"x-1"' }, 'x', '?status=draft');
      expect([refused.status, refused.at('error.details.revision')]).to.eql([412, '']);
      expect((await put(documentId, { 'if-match': '*' }, 'x', '?status=draft')).status).to.equal(200);
    });

    it('accounts and files refuse If-Match', async () => {
      for (const [method, path] of [
        ['PUT', '/users/1'],
        ['DELETE', '/users/1'],
        ['DELETE', '/upload/files/1'],
        ['POST', '/upload'],
      ]) {
        const refused = await ask(path ?? '', { method: method ?? '', headers: { 'if-match': '"x"' } });
        expect([refused.status, refused.headers.get('x-error-code')]).to.eql([
          400,
          'precondition-unsupported',
        ]);
      }
    });
  });
