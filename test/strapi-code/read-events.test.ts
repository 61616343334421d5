/** The parameters of the events of reads: as a Strapi 5.54 has them, and what hooks change in them is what is read. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { type Serving, startServing } from '../../src/serve/index.js';
import { objectAt } from '../../src/values/plain-object.js';
import { componentFile, typeFile } from '../support/schemas.js';
import { writeFiles } from '../support/write-files.js';
import { dropWhenDone, testDatabase } from './support.js';

type Hook = (params: Record<string, unknown>) => void;

describe('events of reads', function () {
  this.timeout(180_000);
  let root: string;
  let serving: Serving;
  let first = '';
  let second = '';

  before(async () => {
    root = await mkdtemp(join(tmpdir(), 'mangrove-strapi-read-events-'));
    const core = (kind: string) =>
      `module.exports = require('@strapi/strapi').factories.${kind}('api::note.note');`;
    await writeFiles(root, {
      'src/api/tag/content-types/tag/schema.json': typeFile('tag', { name: { type: 'string' } }).content,
      'src/api/note/content-types/note/schema.json': typeFile(
        'note',
        {
          title: { type: 'string', pluginOptions: { i18n: { localized: true } } },
          rank: { type: 'integer' },
          tags: { type: 'relation', relation: 'manyToMany', target: 'api::tag.tag' },
          part: { type: 'component', component: 'c.part', repeatable: false },
          zone: { type: 'dynamiczone', components: ['c.part'] },
        },
        { draftAndPublish: true, localized: true },
      ).content,
      'src/components/c/part.json': componentFile('c.part', { name: { type: 'string' } }).content,
      'src/api/note/routes/note.js': core('createCoreRouter'),
      'src/index.js': `
        const names = ['FindOne', 'FindMany', 'Count'].map((name) => 'before' + name);
        module.exports = { register({ strapi }) {
          strapi.documents.use((context, next) => { globalThis.readDoc?.(context); return next(); });
          strapi.db.lifecycles.subscribe({ models: ['api::note.note'],
            ...Object.fromEntries(names.map((name) => [name, ({ params }) => globalThis.readHook?.(params)])) });
        } };`,
    });
    const note = ['find', 'findOne'].map((action) => `api::note.note.${action}`);
    serving = await startServing({
      root,
      overrides: testDatabase({
        roles: { public: [...note, 'api::tag.tag.find'] },
        plugins: { i18n: { locales: ['en', 'de'] } },
      }),
    });
    const { documents } = serving.project;
    const tag = await documents('api::tag.tag').create({ data: { name: 't' } });
    const made = [];
    for (const [title, rank] of [
      ['a', 1],
      ['b', 2],
      ['c', 3],
    ] as const) {
      const data = { title, rank, tags: [tag['documentId']], part: { name: title } };
      made.push(String((await notes().create({ data, status: 'published' })).documentId));
    }
    [first = '', second = ''] = made;
    await notes().update({ documentId: first, data: { title: 'draft' } });
    await notes().update({ documentId: first, locale: 'de', data: { title: 'eins' }, status: 'published' });
  });
  afterEach(() => Object.assign(globalThis, { readHook: undefined, readDoc: undefined }));
  after(async () => {
    await dropWhenDone(serving);
    await rm(root, { recursive: true, force: true });
  });
  const notes = () => serving.project.documents('api::note.note');
  const ask = async (path: string) => {
    const response = await fetch(`http://127.0.0.1:${serving.port}/api/notes${path}`);
    return { status: response.status, ...Object(await response.json()) };
  };
  const hook = (run: Hook): void => void Object.assign(globalThis, { readHook: run });
  const titles = (list: unknown): readonly unknown[] =>
    (Array.isArray(list) ? list : [list]).map((one) => objectAt(one)['title']);
  /** The parameters of the event that `read` causes. */
  const seen = async (read: () => Promise<unknown>): Promise<unknown> => {
    const all: unknown[] = [];
    hook((params) => all.push(structuredClone(params)));
    await read();
    expect(all).to.have.length(1);
    return all[0];
  };
  const live = { publishedAt: { $notNull: true } };
  const draft = { publishedAt: { $null: true } };

  it('have the parameters of a query', async () => {
    expect(await seen(() => ask(''))).to.eql({
      locale: 'en',
      offset: 0,
      limit: 25,
      where: { ...live, locale: 'en' },
    });
    const query =
      '?filters[rank][$gt]=0&sort=rank:desc,title&fields=title&pagination[pageSize]=1&populate[part]=true';
    expect(await seen(() => ask(query))).to.eql({
      locale: 'en',
      select: ['id', 'documentId', 'title'],
      orderBy: [{ rank: 'desc' }, { title: 'asc' }],
      populate: { part: true },
      offset: 0,
      limit: 1,
      where: { ...live, locale: 'en', rank: { $gt: '0' } },
    });
    expect(objectAt(await seen(() => ask('?populate=*')))['populate']).to.eql({
      tags: true,
      part: true,
      zone: true,
    });
    expect(await seen(() => ask(`/${first}?locale=de`))).to.eql({
      locale: 'de',
      where: { ...live, locale: 'de', documentId: first },
    });
    const populate = {
      tags: { fields: ['name'], filters: { name: 't' }, sort: 'name', populate: '*' },
      zone: { on: { 'c.part': { fields: ['name'] } } },
      part: false,
    };
    expect(await seen(() => notes().findMany({ populate, locale: '*', start: 1, limit: 2 }))).to.eql({
      locale: '*',
      populate: {
        tags: {
          select: ['id', 'documentId', 'name'],
          where: { name: 't' },
          orderBy: [{ name: 'asc' }],
          populate: true,
        },
        zone: { on: { 'c.part': { select: ['id', 'name'] } } },
      },
      offset: 1,
      limit: 2,
      where: draft,
    });
    expect(await seen(() => notes().count({ filters: { title: 'a' }, status: 'published' }))).to.eql({
      locale: 'en',
      where: { ...live, locale: 'en', title: 'a' },
    });
    expect(await seen(() => notes().findFirst({ populate: '*' }))).to.eql({
      locale: 'en',
      populate: true,
      where: { ...draft, locale: 'en' },
    });
  });

  it('read what hooks made of them', async () => {
    const list = async (change: Hook, params = {}): Promise<unknown> => {
      hook(change);
      return titles(await notes().findMany({ status: 'published', sort: 'rank', ...params }));
    };
    expect(await list((params) => Object.assign(Object(params['where']), { rank: { $gt: 1 } }))).to.eql([
      'b',
      'c',
    ]);
    expect(await list((params) => Object.assign(params, { orderBy: { title: 'desc' } }))).to.eql([
      'c',
      'b',
      'a',
    ]);
    expect(await list((params) => Object.assign(params, { offset: 1, limit: 1 }))).to.eql(['b']);
    expect(await list((params) => delete params['limit'], { limit: 1 })).to.eql(['a', 'b', 'c']);
    expect(await list((params) => Object.assign(Object(params['where']), draft))).to.eql(['draft', 'b', 'c']);
    expect(await list((params) => Object.assign(Object(params['where']), { locale: 'de' }))).to.eql(['eins']);
    expect(await list((params) => Object.assign(params, { where: { title: 'a' } }))).to.eql(['a']);
    expect(await list((params) => Object.assign(params, { filters: { rank: 3 } }))).to.eql(['c']);
    hook((params) =>
      Object.assign(params, { populate: { tags: { where: { name: 't' }, select: ['name'] } } }),
    );
    const [one] = await notes().findMany({ populate: '*' });
    expect(objectAt(objectAt(one), 'part')).to.eql({});
    expect(Object(one).tags[0]).to.have.all.keys('id', 'documentId', 'name');
    hook((params) => Object.assign(params, { select: ['title'] }));
    expect(await notes().findOne({ documentId: first })).to.have.all.keys('id', 'documentId', 'title');
    hook((params) => Object.assign(params, { where: { ...Object(params['where']), documentId: second } }));
    expect(titles(await notes().findOne({ documentId: first }))).to.eql(['b']);
    hook((params) => Object.assign(Object(params['where']), { title: 'a' }));
    expect(await notes().count({ status: 'published' })).to.equal(1);
  });

  it('of a request read the window of the hooks; the pagination says what was asked', async () => {
    for (const path of ['?sort=rank', '?sort=rank&pagination[withCount]=false']) {
      hook((params) => Object.assign(params, { limit: 1, offset: 1 }));
      const { data, meta } = await ask(path);
      expect(titles(data)).to.eql(['b']);
      const counted = path === '?sort=rank' ? { pageCount: 1, total: 3 } : {};
      expect(meta.pagination).to.eql({ page: 1, pageSize: 25, ...counted });
    }
    hook(() => undefined);
    Object.assign(globalThis, {
      readDoc: (context: { params: object }) => {
        expect(context.params).to.include({ start: 0, limit: 25 });
        context.params = { ...context.params, limit: 2 };
      },
    });
    expect(titles((await ask('?sort=rank')).data)).to.eql(['a', 'b']);
  });

  it('refuse what cannot be read, by name', async () => {
    const refused = async (change: Hook): Promise<string> => {
      hook(change);
      return notes().findOne({ documentId: first }).catch(String) as Promise<string>;
    };
    expect(await refused((params) => Object.assign(params, { where: { title: 'a' } }))).to.include(
      'api::note.note that takes documentId out of where',
    );
    const many = { publishedAt: { $gt: '2000-01-01' } };
    expect(await refused((params) => Object.assign(Object(params['where']), many))).to.include('publishedAt');
    expect(await refused((params) => Object.assign(params, { filters: () => ({}) }))).to.include('filters');
  });
});
