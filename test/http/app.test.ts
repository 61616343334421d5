import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { connect } from 'node:net';
import { Readable } from 'node:stream';
import { expect } from 'chai';
import { until } from '../../packages/engine/test/support/until.js';
import { errors } from '../../src/errors.js';
import type { Provider } from '../../src/media/types.js';
import { startServer } from './support.js';

type Server = Awaited<ReturnType<typeof startServer>>;

/** Sends paths as they are; `fetch` normalizes them. */
const raw = (server: Server, method: string, path: string): Promise<{ status: number; text: string }> =>
  new Promise((resolve, reject) => {
    const sent = request({ port: server.port, host: '127.0.0.1', method, path }, (response) => {
      let text = '';
      response.on('data', (part) => {
        text += part;
      });
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text }));
    });
    sent.on('error', reject).end();
  });

const NOT_FOUND = '"name":"NotFoundError","message":"Not Found","details":{}';

describe('http: the prefix', () => {
  const CASES: readonly (readonly [string, string, string])[] = [
    ['', '/Notes/', '/api/notes'],
    ['/v1/content', '/V1/content/notes/abc', '/v1/notes'],
  ];
  for (const [prefix, known, unknown] of CASES)
    it(`'${prefix}' is prepended to every route`, async () => {
      const server = await startServer({ rest: { prefix } });
      expect((await raw(server, 'GET', known)).status).to.equal(200);
      expect((await raw(server, 'GET', unknown)).status).to.equal(404);
      await server.drain(100);
    });
});

describe('http: routes', () => {
  let server: Server;
  before(async () => {
    server = await startServer();
  });
  after(() => server.drain(100));

  const CASES: readonly (readonly [string, string, number, string])[] = [
    ['GET', '/api/notes', 200, '"meta":{"pagination"'],
    ['HEAD', '/api/notes', 200, ''],
    ['GET', '/API/Notes/', 200, '"data":['],
    ['GET', '/api/notes/abc', 200, '"meta":{}'],
    ['GET', '/api/home', 200, '"documentId":"abc"'],
    ['GET', '/api/home/1', 404, NOT_FOUND],
    ['GET', '/api/zzz', 404, NOT_FOUND],
    ['GET', '/nope', 404, NOT_FOUND],
    ['GET', '//api/notes', 404, NOT_FOUND],
    ['GET', '/api//notes', 404, NOT_FOUND],
    ['GET', '/api/notes%2F', 404, NOT_FOUND],
    ['GET', '/api/auth/local', 404, NOT_FOUND],
    [
      'GET',
      '/api/notes/%zz',
      400,
      '{"data":null,"error":{"status":400,"name":"BadRequestError","message":"failed to decode"}}',
    ],
    ['GET', '/api/secrets', 403, '"name":"ForbiddenError","message":"Forbidden","details":{}'],
    ['PATCH', '/api/notes', 405, 'Method Not Allowed'],
    ['DELETE', '/api/notes', 405, 'Method Not Allowed'],
    ['POST', '/api/notes/abc', 405, 'Method Not Allowed'],
    ['POST', '/api/home', 405, 'Method Not Allowed'],
    ['DELETE', '/api/zzz/1', 405, 'Method Not Allowed'],
    ['OPTIONS', '/api/notes', 200, ''],
    ['DELETE', '/api/notes/abc', 204, ''],
    ['GET', '/_health', 204, ''],
    ['HEAD', '/_health', 204, ''],
    ['GET', '/_ready', 204, ''],
  ];
  for (const [method, path, status, text] of CASES)
    it(`${method} ${path} is ${status}`, async () => {
      const answer = await raw(server, method, path);
      expect(answer.status).to.equal(status);
      if (text === '') expect(answer.text).to.equal('');
      else expect(answer.text).to.include(text);
    });

  it('lists the allowed methods', async () => {
    const of = async (path: string) =>
      (await fetch(server.url + path, { method: 'PATCH' })).headers.get('allow');
    expect(await of('/api/notes')).to.equal('HEAD, GET, POST');
    expect(await of('/api/home')).to.equal('HEAD, GET, PUT, DELETE');
    expect(await of('/api/zzz')).to.equal('HEAD, GET');
  });

  it('are matched before authentication: 404 with a wrong token, 401 on a route', async () => {
    const headers = { authorization: 'Bearer wrong' };
    expect((await fetch(`${server.url}/api/zzz`, { headers })).status).to.equal(404);
    expect((await fetch(`${server.url}/api/notes`, { headers })).status).to.equal(401);
  });

  it('mark the health check as Strapi does', async () =>
    expect((await fetch(`${server.url}/_health`)).headers.get('strapi')).to.equal('You are so French!'));

  it('send the headers of rules A.4 and a request id', async () => {
    const { headers } = await fetch(`${server.url}/api/notes`);
    expect(Object.fromEntries(headers)).to.include({
      'x-frame-options': 'SAMEORIGIN',
      'x-content-type-options': 'nosniff',
      'strict-transport-security': 'max-age=31536000; includeSubDomains',
      'referrer-policy': 'no-referrer',
      'x-dns-prefetch-control': 'off',
      'x-download-options': 'noopen',
      'x-permitted-cross-domain-policies': 'none',
      'content-type': 'application/json; charset=utf-8',
    });
    expect(headers.get('x-request-id')).to.match(/^[0-9a-f-]{36}$/);
    expect(headers.get('etag')).to.equal(null);
    expect(headers.get('cache-control')).to.equal(null);
  });

  it("keep a caller's request id if it is plain", async () => {
    const idFor = async (id: string) =>
      (await fetch(`${server.url}/api/notes`, { headers: { 'x-request-id': id } })).headers.get(
        'x-request-id',
      );
    expect(await idFor('abc-1')).to.equal('abc-1');
    expect(await idFor('a b"')).to.not.equal('a b"');
  });
});

describe('http: bodies', () => {
  let server: Server;
  before(async () => {
    server = await startServer();
  });
  after(() => server.drain(100));

  const MISSING = {
    status: 400,
    name: 'ValidationError',
    message: 'Missing "data" payload in the request body',
    details: {},
  };
  const syntax = (message: string) => ({ status: 400, name: 'SyntaxError', message });
  const json = 'application/json';
  const CASES: readonly (readonly [string, string | undefined, string, unknown])[] = [
    ['data', json, '{"data":{"name":"x"}}', null],
    ['any +json', 'application/vnd.api+json', '{"data":{}}', null],
    ['a form', 'application/x-www-form-urlencoded', 'data[name]=x', null],
    ['a form with a dot in a key', 'application/x-www-form-urlencoded', 'data.name=x', MISSING],
    ['no data', json, '{}', MISSING],
    ['a string as data', json, '{"data":"x"}', MISSING],
    ['a list', json, '[]', MISSING],
    ['plain text', 'text/plain', '{"data":{}}', MISSING],
    ['a multipart body', 'multipart/form-data; boundary=x', '--x--', MISSING],
    ['nothing', json, '', MISSING],
    ['an unclosed object', json, '{bad', syntax("Expected property name or '}' in JSON at position 1")],
    ['a JSON string', json, '"x"', syntax('invalid JSON, only supports object and array')],
    ['a bare word', json, 'nope', syntax('invalid JSON, only supports object and array')],
  ];
  for (const [name, type, body, error] of CASES)
    it(`${name}: ${error === null ? 'created' : 'refused'}`, async () => {
      const headers = type === undefined ? {} : { 'content-type': type };
      const answer = await fetch(`${server.url}/api/notes`, { method: 'POST', headers, body });
      expect(answer.status).to.equal(error === null ? 201 : 400);
      expect(((await answer.json()) as { error?: unknown }).error ?? null).to.deep.equal(error);
    });

  it('answers 413 to more than a megabyte', async () => {
    const body = JSON.stringify({ data: { a: 'x'.repeat(1_100_000) } });
    const answer = await fetch(`${server.url}/api/notes`, {
      method: 'POST',
      headers: { 'content-type': json },
      body,
    });
    expect(answer.status).to.equal(413);
    expect(((await answer.json()) as { error: unknown }).error).to.include({ name: 'PayloadTooLargeError' });
  });

  it('reports a malformed body before a missing grant', async () => {
    const sent = { method: 'POST', headers: { 'content-type': json }, body: '{bad' };
    expect((await fetch(`${server.url}/api/secrets`, sent)).status).to.equal(400);
  });
});

describe('http: middleware options', () => {
  const LONG = { text: 'x'.repeat(5000) };
  for (const [accepted, encoding] of [
    ['br, gzip', 'br'],
    ['gzip', 'gzip'],
    ['identity', null],
    ['deflate', 'deflate'],
  ] as const)
    it(`compression: ${accepted} gets ${encoding ?? 'no encoding'}, and the same JSON`, async () => {
      const server = await startServer({ middlewares: { compression: {} } }, { read: async () => LONG });
      const answer = await fetch(`${server.url}/api/notes`, { headers: { 'accept-encoding': accepted } });
      expect(answer.headers.get('content-encoding')).to.equal(encoding);
      expect(answer.headers.get('content-type')).to.equal('application/json; charset=utf-8');
      expect(answer.headers.get('vary')).to.match(/accept-encoding/i);
      expect(await answer.json()).to.deep.equal({ data: [LONG], meta: { pagination: { page: 1 } } });
      await server.drain(100);
    });

  it('compression: a HEAD varies as its GET does', async () => {
    const server = await startServer({ middlewares: { compression: {} } }, { read: async () => LONG });
    const headers = { 'accept-encoding': 'gzip' };
    for (const path of ['/api/notes', '/api/notes/abc', '/api/zzz'])
      for (const method of ['GET', 'HEAD']) {
        const answer = await fetch(server.url + path, { method, headers });
        expect(answer.headers.get('vary'), path).to.match(/accept-encoding/i);
        await answer.text();
      }
    await server.drain(100);
  });

  it('compression takes the options of koa-compress', async () => {
    const options = { middlewares: { compression: { br: false, threshold: 10_000 } } };
    for (const [size, encoding] of [
      [5000, null],
      [20_000, 'gzip'],
    ] as const) {
      const server = await startServer(options, { read: async () => ({ text: 'x'.repeat(size) }) });
      const headers = { 'accept-encoding': 'br, gzip' };
      const answer = await fetch(`${server.url}/api/notes`, { headers });
      expect(answer.headers.get('content-encoding')).to.equal(encoding);
      await server.drain(100);
    }
  });

  it('compression applies to errors too, but not if the caller accepts no encoding', async () => {
    const words = 'no '.repeat(600);
    const server = await startServer(
      { middlewares: { compression: {} } },
      { read: () => Promise.reject(errors.validation('key-invalid', words)) },
    );
    for (const [accepted, encoding] of [
      ['gzip', 'gzip'],
      ['gzip;q=0', null],
      ['identity;q=0', null],
      ['', null],
    ] as const) {
      const answer = await fetch(`${server.url}/api/notes`, { headers: { 'accept-encoding': accepted } });
      expect([answer.status, answer.headers.get('content-encoding')], accepted).to.deep.equal([
        400,
        encoding,
      ]);
      expect(await answer.json()).to.have.nested.property('error.message', words);
    }
    await server.drain(100);
  });

  it('compression leaves files alone: ranges count stored bytes', async () => {
    const text = 'x'.repeat(5000);
    const blob = {
      size: text.length,
      modified: new Date(0),
      read: (start = 0, end = text.length - 1) => Readable.from([text.slice(start, end + 1)]),
    };
    const provider = { name: 'test', find: async () => blob } as unknown as Provider;
    const server = await startServer({ middlewares: { compression: {} } }, {}, provider);
    const headers = { 'accept-encoding': 'gzip', range: 'bytes=0-1999' };
    const answer = await fetch(`${server.url}/uploads/a.txt`, { headers });
    expect([answer.status, answer.headers.get('content-encoding')]).to.deep.equal([206, null]);
    expect((await answer.text()).length).to.equal(2000);
    await server.drain(100);
  });

  it('compression leaves short responses alone', async () => {
    const server = await startServer({ middlewares: { compression: {} } });
    const answer = await fetch(`${server.url}/api/notes`, { headers: { 'accept-encoding': 'gzip' } });
    expect(answer.headers.get('content-encoding')).to.equal(null);
    await server.drain(100);
  });

  it('responseTime and poweredBy are headers', async () => {
    const server = await startServer({ middlewares: { responseTime: true, poweredBy: 'Larkhaven' } });
    const { headers } = await fetch(`${server.url}/api/notes`);
    expect(headers.get('x-response-time')).to.match(/^\d+ms$/);
    expect(headers.get('x-powered-by')).to.equal('Larkhaven');
    await server.drain(100);
  });
});

describe('http: metrics', () => {
  it('are off by default', async () => {
    const server = await startServer();
    expect((await fetch(`${server.url}/metrics`)).status).to.equal(404);
    await server.drain(100);
  });

  it('count requests by method and status, with their durations', async () => {
    const server = await startServer({ server: { metrics: true } });
    for (const path of ['/api/notes', '/api/notes', '/api/zzz']) await fetch(server.url + path);
    const text = await (await fetch(`${server.url}/metrics`)).text();
    expect(text).to.include('mangrove_request_duration_seconds_count{method="GET",status="200"} 2');
    expect(text).to.include(
      'mangrove_request_duration_seconds_bucket{le="+Inf",method="GET",status="404"} 1',
    );
    expect(text).to.include('mangrove_requests_in_flight 0');
    await server.drain(100);
  });

  it('count a failure by the status that the caller received', async () => {
    const read = () => Promise.reject(new Error('broken'));
    const server = await startServer({ server: { metrics: true } }, { read });
    await fetch(`${server.url}/api/notes`);
    const text = await (await fetch(`${server.url}/metrics`)).text();
    expect(text).to.include('mangrove_request_duration_seconds_count{method="GET",status="500"} 1');
    await server.drain(100);
  });
});

describe('http: internal failures', () => {
  it('are a 500 with the request id and nothing else', async () => {
    const server = await startServer(
      {},
      { read: () => Promise.reject(new Error('db://user:password@host failed')) },
    );
    const answer = await fetch(`${server.url}/api/notes`);
    const id = answer.headers.get('x-request-id');
    expect(await answer.json()).to.deep.equal({
      data: null,
      error: { status: 500, name: 'InternalServerError', message: 'Internal Server Error', requestId: id },
    });
    await server.drain(100);
  });

  it('are a 404 if the document does not exist', async () => {
    const server = await startServer({}, { read: async () => null });
    expect((await fetch(`${server.url}/api/notes/x`)).status).to.equal(404);
    expect((await fetch(`${server.url}/api/home`)).status).to.equal(404);
    await server.drain(100);
  });
});

describe('http: cross-origin access', () => {
  const originOf = async (origin: string | readonly string[], from: string) => {
    const server = await startServer({ middlewares: { cors: { origin: [origin].flat() } } });
    const { headers } = await fetch(`${server.url}/api/notes`, { headers: { origin: from } });
    await server.drain(100);
    return [headers.get('access-control-allow-origin'), headers.get('access-control-allow-credentials')];
  };
  const SITE = 'https://site.example';

  it('allows any origin to read without credentials', async () =>
    expect(await originOf('*', SITE)).to.deep.equal(['*', null]));
  it('allows listed origins with credentials', async () =>
    expect(await originOf([SITE], SITE)).to.deep.equal([SITE, 'true']));
  it('echoes no other origin', async () =>
    expect(await originOf([SITE], 'https://evil.example')).to.deep.equal([null, null]));

  it('answers a preflight', async () => {
    const server = await startServer();
    const headers = { origin: SITE, 'access-control-request-method': 'POST' };
    const answer = await fetch(`${server.url}/api/notes`, { method: 'OPTIONS', headers });
    expect(answer.status).to.equal(204);
    expect(answer.headers.get('access-control-allow-methods')).to.include('POST');
    await server.drain(100);
  });
});

describe('http: shutdown', () => {
  it('completes a running request, and accepts no new connections', async () => {
    let finish = (): void => undefined;
    const held = new Promise<void>((resolve) => {
      finish = resolve;
    });
    let began = (): void => undefined;
    const running = new Promise<void>((resolve) => {
      began = resolve;
    });
    const read = async () => {
      began();
      await held;
      return { id: 1 };
    };
    const server = await startServer({}, { read });
    const answer = fetch(`${server.url}/api/notes`);
    await running;
    const drained = server.drain(5000);
    await expectRefused(server.url);
    finish();
    expect((await answer).status).to.equal(200);
    await drained;
  });

  it('serves one more request on each open connection when it lingers', async () => {
    const server = await startServer();
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const ask = (): Promise<readonly [number | undefined, string | undefined]> =>
      new Promise((resolve, reject) => {
        const sent = request({ port: server.port, host: '127.0.0.1', path: '/api/notes', agent }, (answer) =>
          answer.resume().once('end', () => resolve([answer.statusCode, answer.headers.connection])),
        );
        sent.on('error', reject).end();
      });
    expect(await ask()).to.deep.equal([200, 'keep-alive']);
    // Connected, but nothing sent yet.
    const silent = connect(server.port, '127.0.0.1');
    await once(silent, 'connect');
    await until(
      async () => (await connectionsOf(server)) === 2,
      () => 'the silent one is not accepted',
    );
    const drained = server.drain(5000, true);
    // At once: they linger for a moment only.
    silent.write('GET /api/notes HTTP/1.1\r\nHost: x\r\n\r\n');
    const [last, [part]] = await Promise.all([ask(), once(silent, 'data')]);
    expect(last).to.deep.equal([200, 'close']);
    expect(String(part))
      .to.match(/^HTTP\/1\.1 200 /)
      .and.include('Connection: close');
    await expectRefused(server.url);
    await drained;
    agent.destroy();
  });

  it('abandons a request that does not end', async () => {
    let begun = (): void => undefined;
    const reading = new Promise<void>((resolve) => {
      begun = resolve;
    });
    const read = (): Promise<never> => {
      begun();
      return new Promise(() => undefined);
    };
    const server = await startServer({}, { read });
    const answer = fetch(`${server.url}/api/notes`).catch(() => 'cut off');
    await reading;
    await server.drain(50);
    expect(await answer).to.equal('cut off');
  });
});

const connectionsOf = ({ server }: Server): Promise<number> =>
  new Promise((resolve, reject) => {
    server.getConnections((error, count) => (error ? reject(error) : resolve(count)));
  });

const expectRefused = async (url: string): Promise<void> => {
  const outcome = await fetch(`${url}/api/notes`).then(
    () => 'answered',
    () => 'refused',
  );
  expect(outcome).to.equal('refused');
};
