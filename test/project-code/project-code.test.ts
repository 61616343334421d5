import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { type Serving, startServing } from '../../src/serve/index.js';
import { mangrove } from '../support/run-command.js';
import { typeFile } from '../support/schemas.js';
import { linkMangrove, writeFiles } from '../support/write-files.js';

const CODE = `
import { defineProject } from 'mangrove';

const seen: string[] = [];

export default defineProject({
  routes: [
    {
      method: 'GET',
      path: '/notes/popular',
      action: 'api::note.note.popular',
      handler: async (ctx, { documents, caller }) => ({
        data: await documents('api::note.note').findMany({ filters: { title: { $ne: 'dull' } } }),
        meta: { caller: caller.kind, q: ctx.query['q'] ?? null, seen },
      }),
    },
    {
      method: 'PATCH',
      path: '/notes/:documentId/title',
      action: null,
      handler: (ctx, { refuse }) => {
        const { title } = ctx.request.body as { title?: string };
        if (title === undefined) refuse(422, 'a title is needed');
        ctx.body = { title, of: ctx.params['documentId'], params: Reflect.get(ctx.request, 'params') };
      },
    },
    { method: 'POST', path: '/notes/touch', action: null, handler: () => undefined },
  ],
  policies: [
    { on: 'api::note.note.create', check: (ctx) => ctx.get('x-team') === 'blue' },
    { on: ['GET /notes/:documentId'], check: () => undefined },
    {
      on: 'api::note.note.find',
      check: (ctx) => {
        if (ctx.query['only'] === 'one') ctx.query.filters = { title: { $startsWith: 'first' } };
        if (ctx.query['only'] === 'none') ctx.query = { filters: { title: 'nothing' } };
        return true;
      },
    },
    { on: 'api::note.note.dele*', check: () => null as unknown as boolean },
  ],
  documents: [
    {
      uids: ['api::note.note'],
      actions: ['create'],
      run: async (context, next, { config }) => {
        const { data } = context.params as { data: { title: string } };
        context.params = { ...context.params, data: { ...data, title: data.title + ' ' + config.rest.prefix } };
        return next();
      },
    },
  ],
  middlewares: {
    first: [async (ctx, next) => { await next(); ctx.set('X-First', String(ctx.status)); }],
    beforeRoutes: [async (ctx, next) => { seen.push(ctx.method); return next(); }],
    afterRoutes: [(ctx, next) => { if (ctx.path !== '/sitemap.txt') return next(); ctx.body = 'map'; return undefined; }],
  },
  bootstrap: async ({ db }) => { await db.collection('booted').insertOne({ at: new Date() }); },
});
`;

/** A project with this code as its `src/index.ts`; `mangrove` is the built package. */
const makeProject = async (code: string): Promise<string> => {
  const root = await mkdtemp(join(tmpdir(), 'mangrove-own-'));
  const files: Readonly<Record<string, string>> = {
    'content-types/note/schema.json': JSON.stringify(typeFile('note', { title: { type: 'string' } }).content),
    'config/roles.json': JSON.stringify({
      public: ['find', 'findOne', 'create', 'delete', 'popular'].map((name) => `api::note.note.${name}`),
    }),
    'src/index.ts': code,
    'src/policies/is-owner.ts': 'export default () => true;',
    'package.json': '{ "type": "module" }',
  };
  await writeFiles(root, files);
  await linkMangrove(root);
  return root;
};

const database = () => ({
  uri: process.env['MONGODB_URI'] || null,
  name: `own_${process.pid}_${Date.now().toString(36)}`,
});

describe("the project's own code", function () {
  this.timeout(180_000);
  let root: string;
  let serving: Serving;
  const db = database();
  before(async () => {
    root = await makeProject(CODE);
    serving = await startServing({
      root,
      overrides: {
        database: db,
        server: { port: 0, host: '127.0.0.1' },
        middlewares: { logger: { level: 'silent' } },
      },
    });
  });
  after(async () => {
    await serving.project.store.db.dropDatabase();
    await serving.stop();
    await rm(root, { recursive: true });
  });
  const send = async (method: string, path: string, body?: object, headers: Record<string, string> = {}) => {
    const response = await fetch(`http://127.0.0.1:${serving.port}${path}`, {
      method,
      headers: { 'content-type': 'application/json', ...headers },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    const json = response.headers.get('content-type')?.includes('json') ? JSON.parse(text) : text;
    return { status: response.status, body: json, headers: response.headers };
  };

  it('a policy runs after the grant check: false and null are 403 Policy Failed', async () => {
    const refused = await send('POST', '/api/notes', { data: { title: 'a' } });
    expect([refused.status, refused.body.error]).to.eql([
      403,
      { status: 403, name: 'PolicyError', message: 'Policy Failed', details: {} },
    ]);
    expect(refused.headers.get('x-error-code')).to.equal('policy-failed');
    const made = await send('POST', '/api/notes', { data: { title: 'a' } }, { 'x-team': 'blue' });
    expect(made.status).to.equal(201);
    expect((await send('DELETE', `/api/notes/${made.body.data.documentId}`)).status).to.equal(403);
    expect((await send('GET', `/api/notes/${made.body.data.documentId}`)).status).to.equal(200);
  });

  it('a hook wraps calls from REST and from scripts', async () => {
    const { body } = await send('POST', '/api/notes', { data: { title: 'b' } }, { 'x-team': 'blue' });
    expect(body.data.title).to.equal('b /api');
    const own = await serving.project.documents('api::note.note').create({ data: { title: 'c' } });
    expect(own).to.include({ title: 'c /api' });
  });

  it('a route takes precedence over built-in ones, and requires its action', async () => {
    const { status, body } = await send('GET', '/api/notes/popular?q=x');
    expect(status).to.equal(200);
    expect(body.data).to.have.length.above(1);
    expect(body.meta).to.include({ caller: 'public', q: 'x' });
    expect(body.meta.seen).to.include('POST');
    const stranger = await send('GET', '/api/notes/popular', undefined, { authorization: 'Bearer nope' });
    expect(stranger.status).to.equal(401);
  });

  it('a route may be public, set the body itself, return nothing, or refuse', async () => {
    const done = await send('PATCH', '/api/notes/abc/title', { title: 'x' });
    expect([done.status, done.body]).to.eql([200, { title: 'x', of: 'abc', params: { documentId: 'abc' } }]);
    const refused = await send('PATCH', '/api/notes/abc/title', {});
    expect([refused.status, refused.body.error.message]).to.eql([422, 'a title is needed']);
    expect(refused.body.error.details).to.eql({ code: 'project-refusal' });
    expect((await send('POST', '/api/notes/touch', {})).status).to.equal(204);
  });

  it('what a policy makes of ctx.query is what is asked', async () => {
    for (const title of ['first', 'second'])
      await send('POST', '/api/notes', { data: { title } }, { 'x-team': 'blue' });
    const titles = async (query: string): Promise<readonly string[]> => {
      const { body } = await send('GET', `/api/notes${query}`);
      return body.data
        .map((note: { title: string }) => note.title)
        .filter((one: string) => /first|second/.test(one));
    };
    expect(await titles('?sort=title')).to.eql(['first /api', 'second /api']);
    expect(await titles('?only=one')).to.eql(['first /api']);
    expect(await titles('?only=none')).to.eql([]);
  });

  it('middleware runs in its place', async () => {
    const found = await send('GET', '/sitemap.txt');
    expect([found.status, found.body, found.headers.get('x-first')]).to.eql([200, 'map', '200']);
    expect((await send('GET', '/nothing')).status).to.equal(404);
    // It may change any answer, which a stream of events would not show.
    const list = `http://127.0.0.1:${serving.port}/api/notes`;
    for (const [accept, status] of [
      ['text/event-stream', 406],
      ['text/event-stream;q=0.5, application/json', 200],
      ['*/*', 200],
    ] as const)
      expect((await fetch(list, { headers: { accept } })).status, accept).to.equal(status);
  });

  it('bootstrap ran once, before the server listened', async () => {
    expect(await serving.project.store.db.collection('booted').countDocuments()).to.equal(1);
  });

  it('check, routes list and role know its actions', async () => {
    const { stdout, stderr, status } = await mangrove('--root', root, 'check');
    expect(status, stderr).to.equal(0);
    expect(stdout).to.match(/^OK/);
    expect(stderr).not.to.match(/no route asks|is not run/);
    const routes = await mangrove('--root', root, 'routes', 'list', '--json');
    expect(JSON.parse(routes.stdout)).to.deep.include({
      method: 'GET',
      path: '/api/notes/popular',
      action: 'api::note.note.popular',
    });
  });

  it('invalid code prevents the start, and every problem is reported with its place', async () => {
    const wrong = await makeProject(`
      import { defineProject } from 'mangrove';
      export default defineProject({
        routes: [
          { method: 'GET', path: 'notes', action: 'popular', handler: 1 },
          {
            method: 'GET', path: '/notes/all', action: null, handler: () => ({}),
            describe: { query: { type: 'object', limit: { type: 'integer' } }, body: { type: 'nothing' } },
          },
        ],
        polices: [],
        documents: [{ uids: ['api::note.nota'], run: () => {} }],
        jobs: { a: { cron: '* * * * *' } },
        middlewares: { last: [] },
      } as never);
    `);
    const { status, stderr } = await mangrove('--root', wrong, 'check');
    await rm(wrong, { recursive: true });
    expect(status).to.equal(1);
    for (const words of [
      'routes[0].path',
      'routes[0].action',
      'routes[0].handler: a function',
      'routes[1].describe.query.type: the JSON Schema of the parameter type',
      'routes[1].describe.body: a JSON Schema',
      'polices is not a key of a project; did you mean "policies"?',
      'did you mean "api::note.note"?',
      'jobs.a.run',
      'middlewares.last: the places are first',
    ])
      expect(stderr).to.include(`src/index.ts › `).and.include(words);
  });

  it('a policy that no route uses prevents the start', async () => {
    const wrong = await makeProject(`
      import { defineProject } from 'mangrove';
      export default defineProject({ policies: [{ on: 'api::note.note.fnd', check: () => true }] });
    `);
    const failed = await startServing({
      root: wrong,
      overrides: { database: db, server: { port: 0 } },
    }).catch(String);
    await rm(wrong, { recursive: true });
    expect(failed).to.include('no route matches api::note.note.fnd');
  });

  it("check does not run Strapi's own src/index", async () => {
    const strapi = await makeProject('throw new Error("ran");');
    await writeFiles(strapi, { 'package.json': '{ "dependencies": { "@strapi/strapi": "5.54.0" } }' });
    const { status, stderr } = await mangrove('--root', strapi, 'check');
    expect(status).to.equal(0);
    expect(stderr).to.include('files of a Strapi project; --run loads them');
    await rm(strapi, { recursive: true });
  });
});
