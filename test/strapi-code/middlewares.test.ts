/** Middlewares of config/middlewares, in each place: the statuses and bodies are those that a Strapi 5.54 answered. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { type Serving, startServing } from '../../src/serve/index.js';
import { typeFile } from '../support/schemas.js';
import { writeFiles } from '../support/write-files.js';
import { dropWhenDone, testDatabase } from './support.js';

const PLACES = ['afterErrors', 'afterCors', 'beforeBody', 'afterBody', 'last'] as const;
const INSIDE_BODY: readonly string[] = ['afterBody', 'last'];

/** What a middleware does, by the header `x-act`. */
const ACTS = `{
  order: async (ctx, next, place) => { ctx.append('x-order', place); await next(); ctx.append('x-order', place + ctx.status); },
  answers: async (ctx) => { ctx.status = 429; ctx.body = { slow: true }; },
  refuses: async (ctx) => ctx.unauthorized('who'),
  nothing: async () => {},
  throws: async () => { throw new errors.ForbiddenError('closed', { why: 1 }); },
  falls: async (ctx, next) => { await next(); if (ctx.status === 404) { ctx.status = 200; ctx.body = 'page'; } },
  catches: async (ctx, next) => { try { await next(); } catch (error) { ctx.status = 400; ctx.body = [error.name, error instanceof errors.ValidationError, error instanceof errors.ApplicationError, error instanceof errors.NotFoundError]; } },
  empties: async (ctx, next) => { await next(); ctx.body = null; },
  url: async (ctx, next) => { ctx.url = ctx.url.replace('/v9/', '/api/') + '?filters[title]=b'; await next(); },
  cookies: async (ctx, next) => { ctx.cookies.set('a', 'b', { overwrite: true }); await next(); },
  reads: async (ctx, next, place) => { ctx.set('x-seen', JSON.stringify(ctx.request.body) ?? 'undefined'); await next(); },
  raw: async (ctx, next) => { let text = ''; for await (const part of ctx.req) text += part; ctx.request.body = JSON.parse(text); await next(); },
  lists: async (ctx) => { const { middlewares, policies } = ctx.strapi; ctx.body = [Object.keys(middlewares), typeof middlewares['global::act'], Object.keys(policies)].flat(); },
  guards: async (ctx, next) => ctx.path.startsWith('/uploads/') ? ctx.forbidden('not yours') : next(),
}`;

describe("middlewares of a Strapi project's config", function () {
  this.timeout(180_000);
  let root: string;
  let serving: Serving | undefined;

  before(async () => {
    root = await mkdtemp(join(tmpdir(), 'mangrove-strapi-middlewares-'));
    const own = (place: string) => ({ name: 'global::act', config: { place } });
    await writeFiles(root, {
      'src/api/note/content-types/note/schema.json': typeFile('note', { title: { type: 'string' } }).content,
      'src/api/note/routes/note.js': `module.exports = require('@strapi/strapi').factories.createCoreRouter('api::note.note');`,
      'src/middlewares/act.js': `const { errors } = require('@strapi/utils');
        const ACTS = ${ACTS};
        module.exports = ({ place }, { strapi }) => (ctx, next) => {
          ctx.strapi = strapi;
          const [act, at] = ctx.get('x-act').split('@');
          return act && (!at || at === place) ? ACTS[act](ctx, next, place) : next();
        };`,
      'src/middlewares/notes.js': 'exports.notes = 1;',
      'src/policies/notes.js': 'exports.notes = 1;',
      'config/server.json': { app: { keys: ['one'] } },
      'config/middlewares.json': [
        ...['strapi::logger', 'strapi::errors', own('afterErrors')],
        ...['strapi::security', 'strapi::cors', own('afterCors'), 'strapi::poweredBy'],
        ...['strapi::query', own('beforeBody'), 'strapi::body', own('afterBody')],
        ...['strapi::session', 'strapi::favicon', 'strapi::public', own('last')],
      ],
      'public/uploads/one.txt': 'one',
    });
    const roles = {
      public: ['find', 'findOne', 'create'].map((action) => `api::note.note.${action}`),
    };
    serving = await startServing({ root, overrides: testDatabase({ roles }) });
    for (const title of ['a', 'b'])
      await serving.project.documents('api::note.note').create({ data: { title }, status: 'published' });
  });
  after(async () => {
    await dropWhenDone(serving);
    await rm(root, { recursive: true, force: true });
  });
  const ask = async (act: string, path = '/api/notes', data: object | null = null) => {
    const response = await fetch(`http://127.0.0.1:${serving?.port}${path}`, {
      headers: { 'x-act': act, origin: 'http://there', 'content-type': 'application/json' },
      ...(data && { method: 'POST', body: JSON.stringify({ data }) }),
    });
    const { status, headers } = response;
    const text = await response.text();
    return { status, headers, text, body: /^[[{]/.test(text) ? JSON.parse(text) : text };
  };
  const error = (status: number, name: string, message: string, details = {}) => ({
    data: null,
    error: { status, name, message, details },
  });
  const onEach = async (act: string, check: (place: string) => Promise<unknown>) => {
    for (const place of PLACES) await check(`${act}@${place}`);
  };

  it('run in their order, also when nothing is found', async () => {
    for (const [path, status] of [
      ['/api/notes', 200],
      ['/api/notes/none', 404],
      ['/api/none', 404],
    ] as const) {
      const { headers, status: answered } = await ask('order', path);
      expect(answered).to.equal(status);
      const back = PLACES.toReversed().map((place) => place + status);
      expect(headers.get('x-order')).to.equal([...PLACES, ...back].join(', '));
    }
    expect((await ask('', '/api/notes/none')).body).to.eql(error(404, 'NotFoundError', 'Not Found'));
  });

  it('are listed by uid, also a file that exports none, as in Strapi', async () => {
    const uids = ['global::act', 'global::notes', 'plugin::users-permissions.rateLimit'];
    expect((await ask('lists@last')).body).to.eql([...uids, 'function', 'global::notes']);
  });

  it('answer, with the headers of those before them', async () => {
    await onEach('answers', async (act) => {
      const { status, headers, body } = await ask(act);
      expect([status, body], act).to.eql([429, { slow: true }]);
      const isAfterCors = !act.endsWith('afterErrors');
      expect(headers.has('access-control-allow-origin'), act).to.equal(isAfterCors);
    });
    for (const [act, status, body] of [
      ['refuses', 401, error(401, 'UnauthorizedError', 'who')],
      ['nothing', 404, error(404, 'NotFoundError', 'Not Found')],
      ['throws', 403, error(403, 'ForbiddenError', 'closed', { why: 1 })],
    ] as const)
      await onEach(act, async (at) => {
        const answer = await ask(at);
        expect([answer.status, answer.body], at).to.eql([status, body]);
      });
  });

  it('change what was answered', async () => {
    await onEach('falls', async (act) => {
      expect((await ask(act, '/api/none')).text, act).to.equal('page');
      expect((await ask(act, '/api/notes/none')).text, act).to.equal('page');
    });
    await onEach('empties', async (act) => {
      const { status, text } = await ask(act);
      expect([status, text], act).to.eql([204, '']);
    });
    await onEach('catches', async (act) => {
      expect((await ask(act, '/api/notes?sort=none')).body, act).to.eql([
        'ValidationError',
        true,
        true,
        false,
      ]);
      expect((await ask(act, '/api/notes/none')).status, act).to.equal(404);
    });
    const { headers } = await ask('cookies');
    expect(headers.getSetCookie().map((one) => one.split('=')[0])).to.eql(['a', 'a.sig']);
  });

  it('change what is asked', async () => {
    await onEach('url', async (act) => {
      const { body } = await ask(act, '/v9/notes');
      expect(
        body.data.map(({ title }: { title: string }) => title),
        act,
      ).to.eql(['b']);
    });
  });

  it('see the body once it is read, and may read it before', async () => {
    await onEach('reads', async (act) => {
      const isInside = INSIDE_BODY.includes(act.split('@')[1] ?? '');
      expect((await ask(act)).headers.get('x-seen'), act).to.equal(isInside ? '{}' : 'undefined');
      const { headers } = await ask(act, '/api/notes', { title: 'c' });
      expect(headers.get('x-seen'), act).to.equal(isInside ? '{"data":{"title":"c"}}' : 'undefined');
      if (isInside) return;
      const raw = await ask(act.replace('reads', 'raw'), '/api/notes', { title: 'raw' });
      expect([raw.status, raw.body.data.title], act).to.eql([201, 'raw']);
    });
  });

  it('close uploads', async () => {
    expect((await ask('', '/uploads/one.txt')).text).to.equal('one');
    await onEach('guards', async (act) => {
      expect((await ask(act, '/uploads/one.txt')).status, act).to.equal(403);
    });
  });
});
