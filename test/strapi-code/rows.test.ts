/** `strapi.db.query` on several rows at once; how Strapi answers is in project.test.ts. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { type Serving, startServing } from '../../src/serve/index.js';
import { isObject } from '../../src/values/plain-object.js';
import { writeFiles } from '../support/write-files.js';
import { dropWhenDone, testDatabase } from './support.js';

const UID = 'api::note.note';

type Query = Record<string, (params: object) => Promise<unknown>>;

describe('rows of strapi.db.query', function () {
  this.timeout(180_000);
  let root: string;
  let serving: Serving;
  let query: Query;

  before(async () => {
    root = await mkdtemp(join(tmpdir(), 'mangrove-strapi-rows-'));
    await writeFiles(root, {
      'src/api/note/content-types/note/schema.json': {
        kind: 'collectionType',
        collectionName: 'notes',
        info: { singularName: 'note', pluralName: 'notes', displayName: 'Note' },
        options: { draftAndPublish: true },
        pluginOptions: { i18n: { localized: true } },
        attributes: {
          title: { type: 'string', pluginOptions: { i18n: { localized: true } } },
          rank: { type: 'integer', max: 100, pluginOptions: { i18n: { localized: true } } },
          owner: { type: 'relation', relation: 'manyToOne', target: 'plugin::users-permissions.user' },
        },
      },
      'config/plugins.js': `module.exports = { i18n: { config: { defaultLocale: 'en', locales: ['en', 'de'] } } };`,
      'src/index.js': 'module.exports = { register() {} };',
    });
    serving = await startServing({ root, overrides: testDatabase() });
    query = Object(serving.project.code.running?.strapi).db.query(UID);
  });
  beforeEach(async () => {
    await query['deleteMany']?.({ where: {} });
  });
  after(async () => {
    await dropWhenDone(serving);
    await rm(root, { recursive: true, force: true });
  });
  const call = async (name: string, params: object): Promise<unknown> => query[name]?.(params);
  const titles = async (where: object = {}): Promise<unknown[][]> => {
    const rows = await call('findMany', { where, orderBy: ['title', 'publishedAt', 'id'] });
    return Array.isArray(rows) ? rows.map(({ title, publishedAt }) => [title, publishedAt !== null]) : [];
  };

  it('have what select names, and the id if something is populated, as in Strapi', async () => {
    const select = ['title'];
    expect(await call('create', { data: { title: 'a', rank: 1 }, select })).to.eql({ title: 'a' });
    const where = { publishedAt: { $notNull: true } };
    expect(await call('findMany', { where, select })).to.eql([{ title: 'a' }]);
    expect(await call('findOne', { where, select: 'rank' })).to.eql({ rank: 1 });
    const populated = await call('findOne', { where, select, populate: { localizations: { select } } });
    expect(populated).to.have.all.keys('id', 'title', 'localizations');
    expect(await call('findOne', { where, select: [] })).to.include.keys('id', 'documentId', 'rank');
    expect(await call('update', { where, data: { rank: 2 }, select: ['rank'] })).to.eql({ rank: 2 });
    expect(await call('delete', { where, select })).to.have.all.keys('id', 'title');
  });

  it('are created all or none', async () => {
    const data = ['a', 'b', 'c'].map((title, rank) => ({ title, rank }));
    const wrong = [...data, { title: 'd', rank: 101 }];
    expect(await call('createMany', { data: wrong }).catch(String)).to.include(
      'rank must be less than or equal',
    );
    expect(await titles()).to.eql([]);
    const made = await call('createMany', { data });
    expect(made).to.deep.include({ count: 3 });
    const ids: unknown = isObject(made) ? made['ids'] : [];
    const rows = await call('findMany', { where: { id: { $in: ids } }, orderBy: 'id' });
    expect(Array.isArray(rows) && rows.map(({ title }) => title)).to.eql(['a', 'b', 'c']);
  });

  it('are found by filters as by where, and both count', async () => {
    await call('createMany', { data: ['a', 'b', 'c'].map((title, rank) => ({ title, rank })) });
    const filters = { rank: { $gte: 1 } };
    const live = { publishedAt: { $notNull: true } };
    const shown = async (name: string, params: object): Promise<unknown> => {
      const found: unknown = await call(name, params);
      return Array.isArray(found) ? [...new Set(found.map((row) => Object(row).title))] : Object(found).title;
    };
    expect(await shown('findMany', { filters, orderBy: 'title' })).to.eql(['b', 'c']);
    expect(await shown('findMany', { filters, where: { title: { $ne: 'c' } } })).to.eql(['b']);
    expect(await shown('findOne', { filters: { title: 'c' } })).to.equal('c');
    expect(await call('count', { filters, where: live })).to.equal(2);
    await call('deleteMany', { filters });
    expect(new Set((await titles()).map(([title]) => title))).to.eql(new Set(['a']));
    expect(await call('count', { filters: () => null }).catch(String)).to.include(
      'is not supported by Mangrove',
    );
  });

  it('are updated all or none, both versions and all locales', async () => {
    const notes = serving.project.documents(UID);
    const { documentId } = await notes.create({ data: { title: 'x', rank: 1 }, status: 'published' });
    await notes.update({ documentId: String(documentId), locale: 'de', data: { title: 'x', rank: 2 } });
    await notes.create({ data: { title: 'x', rank: 3 } });
    await notes.create({ data: { title: 'y', rank: 4 } });
    expect(await call('updateMany', { where: { title: 'x' }, data: { rank: 101 } }).catch(String)).to.include(
      'rank must be',
    );
    expect(await call('count', { where: { rank: { $lt: 5 } } })).to.equal(5);
    expect(await call('updateMany', { where: { title: 'x' }, data: { title: 'z' } })).to.eql({ count: 4 });
    expect(await titles()).to.eql([
      ['y', false],
      ['z', false],
      ['z', false],
      ['z', false],
      ['z', true],
    ]);
  });

  it('are deleted with their versions and locales', async () => {
    const notes = serving.project.documents(UID);
    const { documentId } = await notes.create({ data: { title: 'x' }, status: 'published' });
    await notes.update({
      documentId: String(documentId),
      locale: 'de',
      data: { title: 'x' },
      status: 'published',
    });
    await notes.create({ data: { title: 'y' } });
    const live = { title: 'x', publishedAt: { $notNull: true }, locale: 'de' };
    expect(await call('deleteMany', { where: live })).to.eql({ count: 1 });
    expect(await call('deleteMany', { where: { title: 'x' } })).to.eql({ count: 3 });
    expect(await titles()).to.eql([['y', false]]);
  });

  it('are published and taken back by publishedAt', async () => {
    const notes = serving.project.documents(UID);
    const { id, documentId } = await notes.create({ data: { title: 'x' } });
    const at = { documentId: String(documentId), status: 'published' };
    await call('update', { where: { id }, data: { publishedAt: new Date(), title: 'live' } });
    expect(await notes.findOne(at)).to.deep.include({ title: 'live' });
    const live = await notes.findOne(at);
    const both = call('update', { where: { id: live?.['id'] }, data: { publishedAt: null, title: 'back' } });
    expect(await both.catch(String)).to.include('strapi.db.query.update of publishedAt to null');
    expect(
      await call('update', { where: { id: live?.['id'] }, data: { publishedAt: null } }),
    ).to.deep.include({
      title: 'live',
      publishedAt: null,
    });
    expect(await notes.findOne(at)).to.equal(null);
    await call('updateMany', { where: { documentId }, data: { publishedAt: new Date() } });
    expect(await notes.findOne(at)).to.deep.include({ title: 'live' });
  });

  it('are searched by _q, and none is changed without a condition', async () => {
    const drafts = [{ title: 'needle' }, { title: 'hay' }].map((one) => ({ ...one, publishedAt: null }));
    await call('createMany', { data: drafts });
    expect(await call('count', { _q: 'need' })).to.equal(1);
    expect(await call('findMany', { _q: 'need' })).to.have.length(1);
    expect(await call('update', { data: { title: 'all' } }).catch(String)).to.include('where parameter');
    expect(await call('delete', { where: {} }).catch(String)).to.include('where parameter');
    expect(await call('findMany', { filters: () => null }).catch(String)).to.include('a function as filters');
    expect(await titles()).to.eql([
      ['hay', false],
      ['needle', false],
    ]);
  });

  it('are none that are compared with undefined, also through a relation that leads nowhere', async () => {
    await call('create', { data: { title: 'nobody owns it', rank: null } });
    const nobody: unknown = undefined;
    for (const where of [
      { rank: nobody },
      { owner: nobody },
      { owner: { id: nobody } },
      { owner: { documentId: { $eq: nobody } } },
      { $and: [{ owner: { documentId: nobody } }] },
    ]) {
      expect(await call('count', { where }), JSON.stringify(where)).to.equal(0);
      expect(await serving.project.documents(UID).findMany({ filters: where, status: 'draft' })).to.eql([]);
    }
    expect(await call('count', { where: { owner: { id: null }, rank: null } })).to.equal(2);
  });
});
