/** What lifecycles and document middlewares see and change of requests: compared with a Strapi 5.54. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { type Serving, startServing } from '../../src/serve/index.js';
import { typeFile } from '../support/schemas.js';
import { writeFiles } from '../support/write-files.js';
import { dropWhenDone, testDatabase } from './support.js';

/** By the header `x-act`, for each action. */
const MIDDLEWARES = `{
  secretFilter: (context, next) => { if (context.action !== 'create') context.params.filters = { secret: 'no-2' }; return next(); },
  ownerFilter: (context, next) => { if (context.action !== 'create') context.params.filters = { owner: { name: 'Ben' } }; return next(); },
  populates: (context, next) => { if (context.action !== 'delete') context.params.populate = ['owner', 'shelf']; return next(); },
  sees: async (context, next) => { const found = await next(); each(found, (one) => { one.title += one.secret; }); return found; },
  adds: async (context, next) => { const found = await next(); each(found, (one) => { one.secret = 'x'; one.owner = { name: 'x' }; one.more = { a: [1] }; }); return found; },
  drafts: (context, next) => { context.params.status = 'draft'; return next(); },
  nothing: async (context, next) => { await next(); },
}`;
const LIFECYCLES = `{
  lcFilter: { beforeFindMany: ({ params }) => { params.where = { secret: 'no-2' }; }, beforeCount: ({ params }) => { params.where = { secret: 'no-2' }; } },
  lcSees: { afterFindMany: ({ result }) => each(result, (one) => { one.title += one.secret; one.secret = 'x'; }), afterFindOne: ({ result }) => each(result, (one) => { one.title += one.secret; }) },
  lcWrites: { afterCreate: ({ model, result }) => strapi.db.query(model.uid).update({ where: { id: result.id }, data: { title: 'again' } }), afterUpdate: ({ result }) => { globalThis.hooksSeen.push(result.title); } },
}`;

describe('hooks of a Strapi project', function () {
  this.timeout(180_000);
  let root: string;
  let serving: Serving | undefined;
  let first = '';

  before(async () => {
    Object.assign(globalThis, { hooksSeen: [] });
    root = await mkdtemp(join(tmpdir(), 'mangrove-strapi-hooks-'));
    const to = (name: string) => ({
      type: 'relation',
      relation: 'manyToOne',
      target: `api::${name}.${name}`,
    });
    const core = (kind: string) =>
      `module.exports = require('@strapi/strapi').factories.${kind}('api::note.note');`;
    await writeFiles(root, {
      'src/api/owner/content-types/owner/schema.json': typeFile('owner', { name: { type: 'string' } })
        .content,
      'src/api/shelf/content-types/shelf/schema.json': typeFile('shelf', { name: { type: 'string' } })
        .content,
      'src/api/note/content-types/note/schema.json': typeFile(
        'note',
        {
          title: { type: 'string' },
          secret: { type: 'string', private: true },
          owner: to('owner'),
          shelf: to('shelf'),
        },
        { draftAndPublish: true },
      ).content,
      'src/api/note/routes/note.js': core('createCoreRouter'),
      'src/index.js': `
        const act = () => strapi.requestContext.get()?.get('x-act') ?? '';
        const each = (found, run) => [found].flat().filter((one) => Object(one) === one).forEach(run);
        const MIDDLEWARES = ${MIDDLEWARES};
        const LIFECYCLES = ${LIFECYCLES};
        const NAMES = ['beforeFindMany', 'beforeCount', 'afterFindMany', 'afterFindOne', 'afterCreate', 'afterUpdate'];
        module.exports = { register({ strapi }) {
          strapi.documents.use((context, next) => (MIDDLEWARES[act()] ?? ((_, next) => next()))(context, next));
          strapi.db.lifecycles.subscribe({ models: ['api::note.note'], ...Object.fromEntries(NAMES.map((name) => [name, (event) => LIFECYCLES[act()]?.[name]?.(event)])) });
        } };`,
    });
    const note = ['find', 'findOne', 'create', 'update', 'delete'].map(
      (action) => `api::note.note.${action}`,
    );
    const roles = { public: [...note, 'api::shelf.shelf.find'] };
    serving = await startServing({ root, overrides: testDatabase({ roles }) });
    const { documents } = serving.project;
    const shelf = await documents('api::shelf.shelf').create({ data: { name: 'high' }, status: 'published' });
    for (const [title, secret, name] of [
      ['a', 'one', 'Ann'],
      ['b', 'no-2', 'Ben'],
    ]) {
      const owner = await documents('api::owner.owner').create({ data: { name }, status: 'published' });
      const data = { title, secret, owner: owner['documentId'], shelf: shelf['documentId'] };
      const { documentId } = await documents('api::note.note').create({ data, status: 'published' });
      first ||= String(documentId);
    }
  });
  after(async () => {
    await dropWhenDone(serving);
    await rm(root, { recursive: true, force: true });
  });
  const ask = async (act: string, path = '', method = 'GET', data?: object) => {
    const response = await fetch(`http://127.0.0.1:${serving?.port}/api/notes${path}`, {
      method,
      headers: { 'x-act': act, 'content-type': 'application/json' },
      ...(data && { body: JSON.stringify({ data }) }),
    });
    const text = await response.text();
    return { status: response.status, ...(text !== '' && JSON.parse(text)) };
  };
  const titles = async (act: string) => (await ask(act)).data.map(({ title }: { title: string }) => title);

  it('ask for what the caller may not ask for', async () => {
    for (const act of ['secretFilter', 'ownerFilter', 'lcFilter']) {
      const { data, meta } = await ask(act);
      expect([data.length, data[0].title, meta.pagination.total], act).to.eql([1, 'b', 1]);
    }
    expect((await ask('secretFilter', `/${first}`)).status).to.equal(404);
    for (const query of [
      '?filters[secret]=no-2',
      '?filters[owner][name]=Ben',
      '?fields=secret',
      '?sort=secret',
    ])
      for (const act of ['', 'populates', 'sees', 'lcSees'])
        expect((await ask(act, query)).status, act + query).to.equal(400);
    expect((await ask('sees', '?_q=no-2')).data).to.eql([]);
  });

  it('may ask for drafts, which the caller may not', async () => {
    const notes = serving?.project.documents('api::note.note');
    await notes?.update({ documentId: first, data: { title: 'draft' } });
    expect([await titles('drafts'), await titles('sees')]).to.eql([
      ['draft', 'b'],
      ['aone', 'bno-2'],
    ]);
    for (const act of ['', 'sees', 'drafts'])
      expect((await ask(act, '?status=draft')).status, act).to.equal(403);
    await notes?.update({ documentId: first, data: { title: 'a' } });
  });

  it('see what is private, and the caller does not', async () => {
    expect(await titles('sees')).to.eql(['aone', 'bno-2']);
    expect(await titles('lcSees')).to.eql(['aone', 'bno-2']);
    expect((await ask('lcSees', `/${first}`)).data.title).to.equal('aone');
    for (const act of ['populates', 'sees', 'adds', 'lcSees'])
      for (const path of ['', `/${first}`, '?populate=*', '?populate=owner']) {
        const { data } = await ask(act, path);
        for (const one of [data].flat())
          expect(one, act + path).not.to.have.any.keys('secret', 'owner', 'locale', 'createdBy');
      }
    expect((await ask('populates')).data[0].shelf.name).to.equal('high');
    const { data } = await ask('adds', `/${first}`, 'PUT', { title: 'a' });
    expect(data.more).to.eql({ a: [1] });
    expect(data).not.to.have.any.keys('secret', 'owner');
    expect((await ask('nothing', `/${first}`)).status).to.equal(404);
  });

  it('keep a delete to what their filters match, as scripts do', async () => {
    expect((await ask('secretFilter', `/${first}`, 'DELETE')).status).to.equal(204);
    const notes = serving?.project.documents('api::note.note');
    await notes?.delete({ documentId: first, filters: { owner: { name: 'Ben' } } });
    expect((await ask('', `/${first}`)).status).to.equal(200);
  });

  it('may update the row that they are called for: only lifecycles of that row run', async () => {
    const { data } = await ask('lcWrites', '', 'POST', { title: 'new' });
    expect(Object(globalThis).hooksSeen).to.eql(['again', 'again']);
    expect((await ask('', `/${data.documentId}`)).data.title).to.equal('again');
  });
});
