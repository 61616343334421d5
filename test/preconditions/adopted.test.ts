/** Collections of other programs have no revisions: a condition that cannot be kept is refused. */
import { expect } from 'chai';
import { startAdopted } from '../adopt/shops.js';
import { send } from '../support/send.js';

const files = (drafts: boolean) => ({
  'page/schema.json': {
    kind: 'collectionType',
    info: { singularName: 'page', pluralName: 'pages', displayName: 'page' },
    pluginOptions: { mangrove: { storage: { collection: 'pages', id: 'number', write: true, drafts } } },
    attributes: { title: { type: 'string', required: true } },
  },
});

for (const drafts of [false, true])
  describe(`preconditions in adopted collections, ${drafts ? 'with' : 'without'} drafts`, () => {
    it('are a 400, except that there is no such document', async () => {
      const server = await startAdopted(files(drafts), { pages: [{ _id: 1, title: 'one' }] });
      const { key } = await server.project.access.tokens.create({ name: 'other', type: 'full-access' });
      const ask = async (method: string, path: string, header: object) =>
        (
          await send(server.url, path, {
            method,
            token: key,
            headers: { ...header },
            ...(/PUT|pages$/.test(method + path) && { body: { data: { title: 'two' } } }),
          })
        ).headers.get('x-error-code');
      try {
        await server.project.store.db.collection('pages').createIndex({ title: 1 }, { unique: true });
        const actions = drafts ? ['/publish', '/unpublish', '/discard-draft'] : [];
        for (const header of [{ 'if-match': '*' }, { 'if-match': '"x"' }, { 'if-none-match': '*' }])
          for (const [method, path] of [
            ['PUT', ''],
            ['DELETE', ''],
            ...actions.map((action) => ['POST', action]),
          ] as const)
            expect(await ask(method ?? '', `/api/pages/1${path}`, header)).to.equal(
              'precondition-unsupported',
            );
        const stored = await server.project.store.db.collection('pages').find().toArray();
        expect(stored.map(({ title }) => title)).to.eql(['one']);
        expect(await ask('POST', '/api/pages', { 'if-match': '*' })).to.equal('precondition-unsupported');
        expect(await ask('POST', '/api/pages', { 'if-none-match': '*' })).to.equal(null);
        expect(await ask('POST', '/api/pages', { 'if-none-match': '*' })).to.equal('precondition-failed');
      } finally {
        await server.close();
      }
    });
  });
