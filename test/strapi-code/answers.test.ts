/** Answers that a project's code may look at: sent as bytes if it does not, and the same if it does. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { type Serving, startServing } from '../../src/serve/index.js';
import { typeFile } from '../support/schemas.js';
import { writeFiles } from '../support/write-files.js';
import { dropWhenDone, testDatabase } from './support.js';

/** What middlewares of a route do with the answer, by its path. */
const MIDDLEWARES = {
  passes: '(ctx, next) => next()',
  reads: 'async (ctx, next) => { await next(); globalThis.answerSeen.push(ctx.body); }',
  readsResponse: 'async (ctx, next) => { await next(); globalThis.answerSeen.push(ctx.response.body); }',
  changes: 'async (ctx, next) => { await next(); ctx.body.meta.changed = true; }',
  replaces: 'async (ctx, next) => { await next(); ctx.body = { other: true }; }',
  writes: "async (ctx, next) => { await next(); ctx.body = 'text'; }",
  empties: 'async (ctx, next) => { await next(); ctx.body = null; }',
  fails: "async (ctx, next) => { await next(); void ctx.body; ctx.throw(409, 'taken'); }",
  refuses: "(ctx) => ctx.throw(409, 'taken', { details: { by: 'one' } })",
};
type Name = keyof typeof MIDDLEWARES;
const NAMES = Object.keys(MIDDLEWARES) as Name[];

describe("answers in a Strapi project's code", function () {
  this.timeout(180_000);
  let root: string;
  let serving: Serving | undefined;
  let url: string;

  const start = async (files: Record<string, string | object> = {}) => {
    root = await mkdtemp(join(tmpdir(), 'mangrove-strapi-answers-'));
    const route = (path: string, middlewares: string): string =>
      ['find', 'findOne']
        .map(
          (action) =>
            `{ method: 'GET', path: '/${path}${action === 'find' ? '' : '/:id'}', handler: 'note.${action}', config: { middlewares: [${middlewares}] } }`,
        )
        .join(', ');
    await writeFiles(root, {
      'src/api/note/content-types/note/schema.json': typeFile('note', {
        title: { type: 'string' },
        any: { type: 'json' },
        big: { type: 'biginteger' },
        time: { type: 'datetime' },
      }).content,
      'src/api/note/routes/note.js': `module.exports = { routes: [
        ${route('plain', '')}, ${NAMES.map((name) => route(name, MIDDLEWARES[name])).join(', ')} ] };`,
      ...files,
    });
    serving = await startServing({
      root,
      overrides: testDatabase({
        rest: { etags: true },
        roles: { public: ['api::note.note.find', 'api::note.note.findOne'] },
      }),
    });
    url = `http://127.0.0.1:${serving.port}/api`;
    const notes = serving.project.documents('api::note.note');
    for (const title of ['ä "quoted"', '\u2028 line', ''])
      await notes.create({
        data: {
          title,
          any: { a: [1.5, null, { b: 'ü' }] },
          big: '9007199254740993',
          time: '2020-01-01T00:00:00Z',
        },
        status: 'published',
      });
    const first = await notes.findFirst({ sort: 'id' });
    return String(first?.['documentId']);
  };
  beforeEach(() => Object.assign(globalThis, { answerSeen: [] }));
  afterEach(async () => {
    await dropWhenDone(serving);
    serving = undefined;
    await rm(root, { recursive: true, force: true });
  });
  const get = async (path: string, headers: Record<string, string> = {}) => {
    const response = await fetch(url + path, { headers });
    const { status, headers: sent } = response;
    return {
      status,
      type: sent.get('content-type'),
      length: sent.get('content-length'),
      etag: sent.get('etag'),
      text: await response.text(),
    };
  };

  it('are those of the plain route, byte for byte, whether code looks at them or not', async () => {
    const documentId = await start();
    for (const rest of ['', `/${documentId}`, '/none', '?fields=title&sort=title', '?filters[nothing]=1']) {
      const { etag, ...plain } = await get(`/plain${rest}`);
      for (const name of ['passes', 'reads', 'readsResponse'] as const) {
        const { etag: other, ...shown } = await get(`/${name}${rest}`);
        expect(shown, name + rest).to.eql(plain);
        expect(other === null, name + rest).to.equal(etag === null);
      }
      const seen: readonly unknown[] = Object(globalThis).answerSeen;
      if (plain.status === 200)
        expect(seen.map((body) => JSON.stringify(body))).to.eql([plain.text, plain.text]);
      Object(globalThis).answerSeen = [];
    }
  });

  it('are what code makes of them', async () => {
    await start();
    const plain = JSON.parse((await get('/plain')).text);
    expect(JSON.parse((await get('/changes')).text)).to.eql({
      ...plain,
      meta: { ...plain.meta, changed: true },
    });
    expect((await get('/replaces')).text).to.equal('{"other":true}');
    const written = await get('/writes');
    expect([written.status, written.text, written.length]).to.eql([200, 'text', '4']);
    expect(await get('/empties')).to.deep.include({ status: 204, type: null, text: '' });
    const failed = await get('/fails');
    expect([failed.status, JSON.parse(failed.text).error.message]).to.eql([409, 'taken']);
    const error = { status: 409, name: 'ConflictError', message: 'taken', details: { by: 'one' } };
    expect(JSON.parse((await get('/refuses')).text)).to.eql({ data: null, error });
  });

  it('have tags by which they are not sent twice, and code always sees them', async () => {
    const documentId = await start();
    for (const path of [
      '/plain',
      '/passes',
      '/reads',
      '/changes',
      `/reads/${documentId}`,
      `/changes/${documentId}`,
    ]) {
      const { etag, status } = await get(path);
      expect([status, typeof etag], path).to.eql([200, 'string']);
      expect((await get(path, { 'If-None-Match': String(etag) })).status, path).to.equal(304);
    }
    // Twice each: also the answers that the client had already.
    expect(Object(globalThis).answerSeen).to.have.length(4);
    const [list, changed] = [await get('/plain'), await get('/changes')];
    expect(list.etag).not.to.equal(changed.etag);
  });

  it('that refuse a caller may be changed by a middleware of the whole server', async () => {
    await start({
      'config/middlewares.json': [
        ...['errors', 'security', 'cors', 'query', 'body', 'public', 'favicon'].map(
          (name) => `strapi::${name}`,
        ),
        { name: 'global::seen' },
      ],
      'src/middlewares/seen.js': `module.exports = () => async (ctx, next) => {
        await next();
        globalThis.answerSeen.push(ctx.body);
        if (ctx.status === 403) ctx.body = { ...ctx.body, hint: 'sign in' };
      };`,
    });
    const error = (status: number, name: string, message: string, details = {}) => ({
      data: null,
      error: { status, name, message, details },
    });
    const closed = error(403, 'ForbiddenError', 'Forbidden');
    const unknown = error(401, 'UnauthorizedError', 'Missing or invalid credentials');
    const refused = await get('/users/me');
    expect([refused.status, JSON.parse(refused.text)]).to.eql([403, { ...closed, hint: 'sign in' }]);
    const unsigned = await get('/users/me', { Authorization: 'Bearer nobody' });
    expect([unsigned.status, JSON.parse(unsigned.text)]).to.eql([401, unknown]);
    expect(Object(globalThis).answerSeen).to.eql([closed, unknown]);
  });

  it('may be read by a middleware of the whole server', async () => {
    await start({
      'config/middlewares.json': [
        ...['errors', 'security', 'cors', 'query', 'body', 'public', 'favicon'].map(
          (name) => `strapi::${name}`,
        ),
        { name: 'global::seen' },
      ],
      'src/middlewares/seen.js': `module.exports = () => async (ctx, next) => {
        await next();
        if (ctx.query.look) globalThis.answerSeen.push(ctx.body.data.length);
      };`,
    });
    const plain = await get('/plain');
    expect((await get('/plain?look=1')).text).to.equal(plain.text);
    expect(Object(globalThis).answerSeen).to.eql([3]);
  });
});
