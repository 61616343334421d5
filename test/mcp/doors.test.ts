/**
 * What a request to `/mcp` is checked for before any tool runs, and what a tool call is checked for before any route
 * answers.
 */
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { expect } from 'chai';
import { createApp } from '../../src/app.js';
import { ConfigError } from '../../src/config/error.js';
import type { Documents } from '../../src/documents/types.js';
import type { AppDeps } from '../../src/http/deps.js';
import { localServer } from '../../src/http/mcp/local.js';
import { listen, type RunningServer } from '../../src/http/server.js';
import { fromSdk } from '../../src/mcp/sdk.js';
import type { ProjectDefinition } from '../../src/project-code/types.js';
import { send } from '../support/send.js';
import { startTestServer, type TestServer } from '../support/test-server.js';
import { at, connect, use } from './client.js';

const MEMO = 'api::memo.memo';
const ROLES = { public: ['find', 'findOne', 'create', 'update'].map((name) => `${MEMO}.${name}`) };
const ACCEPT = { accept: 'application/json, text/event-stream' };

const call = (name: string, args: object = {}) => ({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name, arguments: args },
});
const LIST = { jsonrpc: '2.0', id: 1, method: 'tools/list' };

describe('POST /mcp', function () {
  this.timeout(180_000);
  let server: TestServer;
  const others: RunningServer[] = [];

  before(async () => {
    server = await startTestServer({
      roles: ROLES,
      server: { mcp: true, url: 'https://cms.example.com/api', maxPerAddress: 1 },
      middlewares: { cors: { origin: ['*', 'https://shop.example.com'] } },
    });
  });
  after(async () => {
    for (const other of others) await other.drain(1000);
    await server.close();
  });

  const ask = (body: unknown, headers: Record<string, string> = {}, token?: string) =>
    send(server.url, '/mcp', { body, token, headers: { ...ACCEPT, ...headers } });

  /** The same project behind a separate app. */
  const serve = async (more: Partial<AppDeps>): Promise<string> => {
    const running = await listen(createApp({ ...server.project, ready: async () => true, ...more }), {
      host: '127.0.0.1',
      port: 0,
    });
    others.push(running);
    return `http://127.0.0.1:${running.port}`;
  };

  it('is off unless it is enabled', async () => {
    const { config } = server.project;
    const url = await serve({ config: { ...config, server: { ...config.server, mcp: false } } });
    expect((await send(url, '/mcp', { body: LIST, headers: ACCEPT })).status).to.equal(405);
    expect((await send(url, '/mcp')).status).to.equal(404);
  });

  it('answers with JSON that may not be cached', async () => {
    const { status, headers, body } = await ask(LIST);
    expect(status).to.equal(200);
    expect(headers.get('content-type')).to.match(/^application\/json/);
    expect(headers.get('cache-control')).to.equal('private, no-store');
    expect(headers.get('vary')).to.match(/authorization/i);
    expect(headers.get('x-request-id')).to.be.a('string');
    expect((at(body, 'result.tools') as { name: string }[]).map(({ name }) => name)).to.deep.equal([
      'list_types',
      'describe_type',
      'find',
      'get',
      'create',
      'update',
    ]);
  });

  it('checks methods, versions and media types', async () => {
    for (const method of ['GET', 'DELETE', 'PUT']) {
      const { status, headers } = await send(server.url, '/mcp', { method, headers: ACCEPT });
      expect([status, headers.get('allow')], method).to.deep.equal([405, 'POST']);
    }
    expect((await ask(LIST, { 'mcp-protocol-version': '2025-06-18' })).status).to.equal(200);
    expect((await ask(LIST, { 'mcp-protocol-version': '1999-01-01' })).status).to.equal(400);
    expect((await ask(LIST, { accept: 'application/json' })).status).to.equal(406);
    expect((await ask([LIST, LIST])).at('error.message')).to.match(/one message at a time/);
    expect((await ask('"text"')).status).to.equal(400);
    expect((await ask(JSON.stringify(LIST), { 'content-type': 'text/plain' })).status).to.equal(415);
    const response = await ask({ jsonrpc: '2.0', method: 'notifications/initialized' });
    expect([response.status, response.body]).to.deep.equal([202, null]);
  });

  it('limits bodies as every route does', async () => {
    const malformed = await ask('{"jsonrpc": ');
    expect([malformed.status, malformed.headers.get('x-error-code')]).to.deep.equal([400, 'body-malformed']);
    const large = await ask(call('find', { type: MEMO, _q: 'x'.repeat(1_200_000) }));
    expect([large.status, large.headers.get('x-error-code')]).to.deep.equal([413, 'body-too-large']);
    const deep = await ask(
      JSON.stringify(call('find')).replace('{}', `{"filters":${'{"a":'.repeat(120)}1${'}'.repeat(120)}}`),
    );
    expect([deep.status, deep.headers.get('x-error-code')]).to.deep.equal([400, 'body-too-deep']);
  });

  it('refuses unknown credentials and pages of other sites', async () => {
    const unknown = await ask(LIST, {}, 'nobody');
    expect([unknown.status, unknown.at('error.message')]).to.deep.equal([
      401,
      'Missing or invalid credentials',
    ]);
    const allowed = [
      'http://localhost:6274',
      'http://127.0.0.1',
      'https://cms.example.com',
      'https://shop.example.com',
    ];
    for (const origin of allowed) expect((await ask(LIST, { origin })).status, origin).to.equal(200);
    const refused = [
      'https://evil.example',
      'http://localhost.evil.example',
      'null',
      'https://cms.example.com.evil',
      '*',
    ];
    for (const origin of refused) {
      const { status, headers } = await ask(LIST, { origin });
      expect([status, headers.get('x-error-code')], origin).to.deep.equal([403, 'origin-not-allowed']);
    }
    const denied = await connect(server.url, 'nobody').catch((error: unknown) => error);
    expect(String(denied)).to.match(/401|Unauthorized|Missing or invalid credentials/);
  });

  it("applies the project's policies, middleware, hooks and closed routes", async () => {
    const seen: string[] = [];
    const definition: ProjectDefinition = {
      routes: [{ method: 'GET', path: '/memos/:documentId', action: null, handler: () => ({ own: true }) }],
      policies: [
        { on: `${MEMO}.create`, check: (ctx) => ctx.get('x-team') === 'blue' },
        {
          on: 'PUT /memos/:documentId',
          check: (ctx, { refuse }) => refuse(422, `not ${ctx.path.split('/')[3]}`),
        },
      ],
      middlewares: {
        first: [
          (ctx, next) => {
            seen.push(`${ctx.method} ${ctx.url}`);
            if (ctx.path.startsWith('/api/chefs')) {
              ctx.status = 418;
              ctx.body = 'no chefs';
              return undefined;
            }
            return next();
          },
        ],
      },
    };
    const url = await serve({ own: { definition, tools: server.project.own.tools } });
    const client = await connect(url);
    const made = await use(client, 'create', { type: MEMO, data: { title: 'x' } });
    expect(made.body).to.deep.include({ code: 'policy-failed' });
    expect(at(made.body, 'error')).to.deep.include({ status: 403, name: 'PolicyError' });
    for (const dryRun of [true, false]) {
      const changed = await use(client, 'update', { type: MEMO, documentId: 'abc', data: {}, dryRun });
      expect(at(changed.body, 'error')).to.deep.include({ status: 422, message: 'not abc' });
    }
    expect((await use(client, 'find', { type: MEMO, sort: 'title' })).isError).to.equal(false);
    expect(seen).to.include('GET /api/memos?sort=title');
    const chefs = await use(client, 'find', { type: 'api::chef.chef' });
    expect([chefs.isError, at(chefs.body, 'error.message')]).to.deep.equal([true, 'no chefs']);
    // The project serves something else there.
    expect((await client.listTools()).tools.map(({ name }) => name)).to.not.include('get');
    expect((await use(client, 'get', { type: MEMO, documentId: 'x' })).body).to.have.property(
      'code',
      'not-found',
    );
    await client.close();
  });

  it('limits the size of a read and names the limit; writes are carried out', async () => {
    const { config } = server.project;
    const url = await serve({ config: { ...config, server: { ...config.server, mcpMaxBytes: 300 } } });
    const client = await connect(url);
    const data = { title: 'x'.repeat(255) };
    const made = await use(client, 'create', { type: MEMO, data });
    expect([made.isError, at(made.body, 'data.title')]).to.deep.equal([false, data.title]);
    const documentId = at(made.body, 'data.documentId');
    const changed = await use(client, 'update', { type: MEMO, documentId, data });
    expect(changed.isError).to.equal(false);
    for (const [name, of] of [
      ['get', { documentId }],
      ['find', { filters: { documentId } }],
    ] as const) {
      const { isError, body } = await use(client, name, { type: MEMO, ...of });
      expect([isError, at(body, 'code')], name).to.deep.equal([true, 'answer-too-large']);
      expect(at(body, 'error.details')).to.deep.include({ setting: 'server.mcp.maxBytes', limit: 300 });
    }
    const small = await use(client, 'find', {
      type: MEMO,
      filters: { documentId },
      fields: ['documentId'],
    });
    expect(small.isError).to.equal(false);
    await client.close();
  });

  it('uses the current format, whichever version of Strapi the routes emulate', async () => {
    const { config } = server.project;
    for (const compat of ['v3', 'v4'] as const) {
      const url = await serve({ config: { ...config, rest: { ...config.rest, compat } } });
      const client = await connect(url);
      const made = await use(client, 'create', { type: MEMO, data: { title: compat } });
      expect(at(made.body, 'data.title')).to.equal(compat);
      const found = await use(client, 'find', { type: MEMO, filters: { title: compat } });
      expect(at(found.body, 'data.0.documentId')).to.equal(at(made.body, 'data.documentId'));
      await client.close();
    }
  });

  /** Documents that are slow to read, until the first read runs out of time. */
  const heldUp = () => {
    const { documents } = server.project;
    const held = { signal: null as AbortSignal | null, begun: (): void => undefined };
    const isReading = new Promise<void>((resolve) => {
      held.begun = resolve;
    });
    const serviceOf = (uid: string) => {
      const service = documents(uid);
      const forRequest: typeof service.forRequest = (request) => {
        if (held.signal || !request.budget) return service.forRequest(request);
        const { signal } = request.budget;
        held.signal = signal;
        held.begun();
        const untilGone = new Promise<never>((_, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason));
        });
        return { ...service.forRequest(request), readJson: () => untilGone };
      };
      return { ...service, forRequest };
    };
    // The members of the function, `use` and the others.
    const slow: Documents = Object.assign(serviceOf, { ...documents });
    return { slow, held, isReading };
  };

  it('cancels a read whose caller has disconnected, and serves the next one from the same address', async () => {
    const { slow, held, isReading } = heldUp();
    const url = await serve({ documents: slow });
    const leaving = new AbortController();
    const body = JSON.stringify(call('find', { type: MEMO }));
    const headers = { ...ACCEPT, 'content-type': 'application/json' };
    const sent = fetch(`${url}/mcp`, { method: 'POST', body, headers, signal: leaving.signal }).catch(
      () => null,
    );
    await isReading;
    expect(held.signal?.aborted).to.equal(false);
    leaving.abort();
    await sent;
    const next = await send(url, '/mcp', { body: call('find', { type: MEMO }), headers: ACCEPT });
    expect([held.signal?.aborted, next.status, next.at('result.isError')]).to.deep.equal([
      true,
      200,
      undefined,
    ]);
  });

  it('cancels a read on request of a local client', async () => {
    const { slow, held, isReading } = heldUp();
    const local = await localServer(
      { ...server.project, ready: async () => true, documents: slow },
      undefined,
    );
    const [near, far] = InMemoryTransport.createLinkedPair();
    await local.connect(far as never);
    const client = new Client({ name: 'test', version: '1' });
    await client.connect(near as never);
    const cancelling = new AbortController();
    const ended = new Promise((resolve) => {
      void isReading.then(() => held.signal?.addEventListener('abort', resolve));
    });
    const calls = client
      .callTool({ name: 'find', arguments: { type: MEMO } }, undefined, { signal: cancelling.signal })
      .catch((error: unknown) => error);
    await isReading;
    cancelling.abort('enough');
    expect(String(await calls)).to.include('enough');
    await ended;
    expect((await use(client, 'find', { type: MEMO })).isError).to.equal(false);
    await client.close();
  });
});

describe('the MCP SDK', () => {
  it('is named in the error if it is not installed', async () => {
    const missing = 'not-installed-here';
    const error = await fromSdk(() => import(missing)).catch((thrown: unknown) => thrown);
    expect(error).to.be.instanceOf(ConfigError);
    expect(String(error)).to.include('npm install @modelcontextprotocol/sdk');
  });
});
