/** Handlers that fail after they have begun to answer, or whose answers cannot be sent. */
import { once } from 'node:events';
import { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import Koa from 'koa';
import { until } from '../../packages/engine/test/support/until.js';
import { errors } from '../../src/errors.js';
import type { AppEvent } from '../../src/events/events.js';
import type { App, AppMiddleware } from '../../src/http/context.js';
import { keepingHeaders } from '../../src/http/kept-headers.js';
import { compression } from '../../src/http/middleware/compression.js';
import { answerErrors } from '../../src/http/middleware/errors.js';
import { requestId } from '../../src/http/middleware/headers.js';
import { recordRequests } from '../../src/http/middleware/request-log.js';
import { listen } from '../../src/http/server.js';

/** The answer of a handler, and the events of the request. */
const ask = async (handler: AppMiddleware, headers: Readonly<Record<string, string>> = {}) => {
  const events: AppEvent[] = [];
  const record = (event: AppEvent): void => void events.push(event);
  const app: App = new Koa();
  app.on('error', (error) => record({ name: 'connection-lost', err: error }));
  app.use(requestId());
  app.use(recordRequests(record));
  app.use(compression({}));
  app.use(answerErrors(record));
  app.use((ctx, next) => {
    ctx.set('X-Frame-Options', 'DENY');
    ctx.vary('Origin');
    return next();
  });
  app.use(keepingHeaders());
  app.use(handler);
  const server = await listen(app, { host: '127.0.0.1', port: 0 });
  try {
    const answer = await fetch(`http://127.0.0.1:${server.port}/`, { headers });
    return { status: answer.status, headers: answer.headers, bytes: await answer.text(), events };
  } finally {
    await server.drain(100);
  }
};

const circular: { self?: unknown } = {};
circular.self = circular;

describe('http: failed answers', () => {
  for (const [what, body] of Object.entries({ bigint: { n: 1n }, circular }))
    it(`a body that JSON cannot hold (${what}) is an error like any other`, async () => {
      const { status, headers, bytes, events } = await ask((ctx) => {
        ctx.body = body;
      });
      const id = headers.get('x-request-id');
      expect(status).to.equal(500);
      expect(JSON.parse(bytes)).to.deep.equal({
        data: null,
        error: {
          status: 500,
          name: 'InternalServerError',
          message: 'Internal Server Error',
          requestId: id,
        },
      });
      expect(events.map(({ name }) => name)).to.deep.equal([
        'request-received',
        'request-failed',
        'request-answered',
      ]);
      expect(events.at(-1)).to.include({ status: 500, id });
    });

  it('an error has none of the headers of the body that it replaces', async () => {
    const fails = [errors.notFound(), new Error('broken')];
    for (const fail of fails)
      for (const credentials of [{}, { authorization: 'Bearer a' }]) {
        const { headers, bytes } = await ask(
          (ctx) => {
            ctx.set('Content-Encoding', 'gzip');
            ctx.set('Content-Disposition', 'attachment');
            ctx.set('ETag', '"a"');
            ctx.set('Last-Modified', new Date().toUTCString());
            ctx.set('Cache-Control', 'public, max-age=3600');
            ctx.set('Set-Cookie', ['a=1', 'b=2']);
            ctx.set('X-Of-The-Body', 'a');
            ctx.set('X-Frame-Options', 'SAMEORIGIN');
            ctx.vary('Accept');
            ctx.type = 'image/png';
            ctx.body = gzipSync('a');
            throw fail;
          },
          credentials as Record<string, string>,
        );
        expect(JSON.parse(bytes)).to.have.nested.property('error.status');
        const { date, connection, 'keep-alive': _, ...sent } = Object.fromEntries(headers);
        expect(sent).to.deep.equal({
          ...('authorization' in credentials && { 'cache-control': 'private, no-store' }),
          'content-length': String(Buffer.byteLength(bytes)),
          'content-type': 'application/json; charset=utf-8',
          vary: 'Accept-Encoding, Origin',
          'x-error-code': fail === fails[0] ? 'not-found' : 'internal-error',
          'x-frame-options': 'DENY',
          'x-request-id': headers.get('x-request-id'),
        });
      }
  });

  it('a client that leaves is no fault of the server; a connection of the handler that is reset is one', async () => {
    const lost = (code: string): Error => Object.assign(new Error('lost'), { code });
    const { status, events } = await ask(() => Promise.reject(lost('ECONNRESET')));
    expect([status, events.map(({ name }) => name)]).to.eql([
      500,
      ['request-received', 'request-failed', 'request-answered'],
    ]);
    const seen: AppEvent[] = [];
    const app: App = new Koa();
    app.use(requestId());
    app.use(recordRequests((event) => void seen.push(event)));
    app.use(answerErrors((event) => void seen.push(event)));
    const client = new AbortController();
    app.use(async (ctx) => {
      client.abort();
      await once(ctx.res, 'close');
      // As an operation of a batch.
      const request = new IncomingMessage(ctx.req.socket);
      const inner = app.createContext(request, new ServerResponse(request)) as typeof ctx;
      inner.exchange = { ...ctx.exchange };
      const fails = () => Promise.reject(lost('ECONNABORTED'));
      await answerErrors((event) => void seen.push(event))(inner, fails);
      expect(inner.res.statusCode).to.equal(499);
      throw lost('ECONNABORTED');
    });
    const server = await listen(app, { host: '127.0.0.1', port: 0 });
    const signal = client.signal;
    await fetch(`http://127.0.0.1:${server.port}/`, { signal }).catch(() => undefined);
    await until(
      () => seen.length > 1,
      () => JSON.stringify(seen),
    );
    await server.drain(1000);
    expect(seen.map((event) => ('status' in event ? event.status : event.name))).to.eql([
      'request-received',
      499,
    ]);
  });

  it('compression leaves alone what is encoded, pictures and streams', async () => {
    const text = 'compressible '.repeat(1000);
    const accepts = { 'accept-encoding': 'gzip' };
    const encoded = await ask((ctx) => {
      ctx.type = 'text/plain';
      ctx.set('Content-Encoding', 'gzip');
      ctx.body = gzipSync(text);
    }, accepts);
    expect(encoded.bytes).to.equal(text);
    for (const [type, body] of [
      ['image/png', Buffer.alloc(5000)],
      ['text/plain', Readable.from([text])],
    ] as const) {
      const answer = await ask((ctx) => {
        ctx.type = type;
        ctx.body = body;
      }, accepts);
      expect(answer.headers.get('content-encoding'), type).to.equal(null);
    }
    const plain = await ask((ctx) => {
      ctx.body = { text };
    }, accepts);
    expect(plain.headers.get('content-encoding')).to.equal('gzip');
    expect(JSON.parse(plain.bytes)).to.deep.equal({ text });
  });
});
