/** What one caller may cost the others: time, turns, connections and memory. */
import { once } from 'node:events';
import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { Readable } from 'node:stream';
import { setImmediate as nextLoop } from 'node:timers/promises';
import { expect } from 'chai';
import Koa from 'koa';
import { until } from '../../packages/engine/test/support/until.js';
import { callOf } from '../../src/documents/call.js';
import { openContext } from '../../src/documents/open-context.js';
import { Writes } from '../../src/documents/operations/run-writes.js';
import { createDocument } from '../../src/documents/operations/save.js';
import type { App } from '../../src/http/context.js';
import { limitBufferedResponses } from '../../src/http/middleware/slow-clients.js';
import { callerOf } from '../../src/limits/caller-of.js';
import { createGate } from '../../src/limits/gate.js';
import { mapInSlices } from '../../src/limits/yield.js';
import type { Store } from '../../src/store/client.js';
import type { EngineName } from '../../src/store/connection/engine.js';
import { readOptions } from '../../src/store/reads/read-options.js';
import { budgetOf } from '../support/budget.js';
import { send } from '../support/send.js';
import { startTestServer, type TestServer } from '../support/test-server.js';

const ACTIONS = ['find', 'create', 'update'].map((action) => `api::category.category.${action}`);
const JSON_BODY = { 'content-type': 'application/json' };

interface Deferred {
  readonly promise: Promise<void>;
  resolve(): void;
}

const deferred = (): Deferred => {
  let resolve = (): void => undefined;
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
};

/** Starts a POST that announces more than it sends. */
const stall = async (base: string, address = '127.0.0.1'): Promise<ClientRequest> => {
  const headers = { ...JSON_BODY, 'content-length': '100', 'x-forwarded-for': address };
  const sent = request(new URL('/api/categories', base), { method: 'POST', headers });
  sent.on('error', () => undefined);
  sent.write('{"data":');
  const [socket] = await once(sent, 'socket');
  if (socket.connecting) await once(socket, 'connect');
  return sent;
};

describe('security: fairness', function () {
  this.timeout(180_000);

  describe('the time of a request', () => {
    let server: TestServer;
    /** What a write waits for. */
    let held: Deferred | null = null;
    before(async () => {
      server = await startTestServer({ roles: { public: ACTIONS }, server: { requestMs: 300 } });
      server.project.documents.use(async (_, next) => {
        await held?.promise;
        return next();
      });
    });
    after(() => server.close());

    /** Not by a request, whose own time could be over. */
    const totalOf = (name: string): Promise<number> =>
      server.project.documents('api::category.category').count({ filters: { name }, status: 'published' });

    it('a body that never ends is a 503 that names the setting, and its connection is closed', async () => {
      const sent = await stall(server.url);
      const [response] = await once(sent, 'response');
      const text = (await response.toArray()).join('');
      expect([response.statusCode, response.headers.connection]).to.deep.equal([503, 'close']);
      expect(JSON.parse(text).error).to.deep.equal({
        status: 503,
        name: 'ServiceUnavailableError',
        message: 'The request took longer than 300 ms and was stopped',
        details: { setting: 'server.requestMs', limit: 300, code: 'request-timed-out' },
      });
    });

    it('a write that runs out of time before its commit is not stored', async () => {
      held = deferred();
      const answer = await send(server.url, '/api/categories', { body: { data: { name: 'late' } } });
      expect([answer.status, answer.at('error.details.code')]).to.deep.equal([503, 'request-timed-out']);
      held.resolve();
      held = null;
      await nextLoop();
      expect(await totalOf('late')).to.equal(0);
    });

    /** A write whose request ends at a moment of the caller's choice. */
    const write = async (name: string, when: 'reading' | 'committing') => {
      const { project } = server;
      const type = project.schema.contentTypes.get('api::category.category');
      if (!type) throw new Error('no categories');
      const controller = new AbortController();
      const context = await openContext(project);
      const end = (): void => controller.abort(new Error(`over while ${when}`));
      const { read, writer } = context;
      const watched: typeof context = {
        ...context,
        read: (...of) => {
          if (when === 'reading') end();
          return read(...of);
        },
        writer: {
          ...writer,
          commit: (steps) => {
            if (when === 'committing') end();
            return writer.commit(steps);
          },
        },
      };
      const budget = budgetOf({ signal: controller.signal });
      const call = callOf({ data: { name, documentId: 'a'.repeat(24) }, status: 'published' });
      return new Writes(watched, project.reader, type).one(call, createDocument, { budget }).then(
        (entry) => entry?.['name'],
        (error: Error) => error.message,
      );
    };

    it('a write whose caller has gone stops while it reads, and stores nothing', async () => {
      expect(await write('abandoned', 'reading')).to.equal('over while reading');
      expect(await totalOf('abandoned')).to.equal(0);
    });

    it('a write that has started to commit is completed', async () => {
      expect(await write('committed', 'committing')).to.equal('committed');
      expect(await totalOf('committed')).to.equal(1);
    });
  });

  it('requests from one address wait for each other, but not for those of another', async () => {
    const server = await startTestServer({
      roles: { public: ACTIONS },
      server: { maxPerAddress: 2, proxy: true },
    });
    try {
      const from = (address: string) =>
        send(server.url, '/api/categories', { headers: { 'x-forwarded-for': address } });
      const stalled = [await stall(server.url, '10.0.0.1'), await stall(server.url, '10.0.0.1')];
      // Both are in progress once a third waits, which the response to another address shows.
      await from('10.0.0.2');
      let answered = false;
      const third = from('10.0.0.1').finally(() => {
        answered = true;
      });
      expect((await from('10.0.0.2')).status).to.equal(200);
      expect(answered).to.equal(false);
      for (const one of stalled) one.destroy();
      expect((await third).status).to.equal(200);
    } finally {
      await server.close();
    }
  });

  it('two messages of a client to the tools for agents are worked on, however many it sends, and those of others', async () => {
    const server = await startTestServer({ roles: { public: ACTIONS }, server: { mcp: true, proxy: true } });
    const held = deferred();
    const begun: unknown[] = [];
    server.project.documents.use(
      async ({ params }, next) => {
        begun.push(Reflect.get(params, 'data'));
        await held.promise;
        return next();
      },
      ['create'],
    );
    try {
      const create = (address: string) =>
        send(server.url, '/mcp', {
          headers: { accept: 'application/json, text/event-stream', 'x-forwarded-for': address },
          body: {
            jsonrpc: '2.0',
            id: 1,
            method: 'tools/call',
            params: {
              name: 'create',
              arguments: { type: 'api::category.category', data: { name: address } },
            },
          },
        });
      const answers = Array.from({ length: 5 }, () => create('10.0.0.1'));
      await until(
        () => begun.length >= 2,
        () => begun,
      );
      answers.push(create('10.0.0.2'));
      await until(
        () => begun.length >= 3,
        () => begun,
      );
      const names = ['10.0.0.1', '10.0.0.1', '10.0.0.2'];
      expect(begun).to.deep.equal(names.map((name) => ({ name })));
      held.resolve();
      for (const { status } of await Promise.all(answers)) expect(status).to.equal(200);
      expect(begun).to.have.length(6);
    } finally {
      held.resolve();
      await server.close();
    }
  });

  it('work for a caller who has gone still counts as in progress', async () => {
    const server = await startTestServer({ roles: { public: ACTIONS }, server: { maxPerAddress: 1 } });
    const held = deferred();
    const begun = deferred();
    server.project.documents.use(
      async (_, next) => {
        begun.resolve();
        await held.promise;
        return next();
      },
      ['create'],
    );
    try {
      const sent = request(new URL('/api/categories', server.url), { method: 'POST', headers: JSON_BODY });
      sent.on('error', () => undefined);
      sent.end(JSON.stringify({ data: { name: 'x' } }));
      await begun.promise;
      sent.destroy();
      let answered = false;
      const next = send(server.url, '/api/categories').finally(() => {
        answered = true;
      });
      for (let i = 0; i < 50; i++) await nextLoop();
      await send(server.url, '/_health');
      expect(answered).to.equal(false);
      held.resolve();
      expect((await next).status).to.equal(200);
    } finally {
      await server.close();
    }
  });

  it('a read is abandoned only if the server then stops it; otherwise it counts until it is done', () => {
    const controller = new AbortController();
    const { signal } = controller;
    const optionsFor = (name: EngineName) =>
      readOptions({
        store: { engine: { name, version: [7] }, maxTimeMS: 1 } as unknown as Store,
        budget: budgetOf({ signal }),
      });
    const names = ['mongodb', 'embedded', 'ferretdb', 'secantusdb'] as const;
    expect(names.map((name) => optionsFor(name).signal === signal)).to.deep.equal([true, true, false, false]);
    controller.abort(new Error('gone'));
    for (const name of names) expect(() => optionsFor(name), name).to.throw('gone');
  });

  it('of those waiting at a gate, the caller with the fewest jobs inside goes next', async () => {
    const gate = createGate({ atOnce: 2, maxWaiting: 10 });
    const leave = [await gate.enter({ client: 'a' }), await gate.enter({ client: 'a' })];
    const order: string[] = [];
    const waiting = ['a', 'a', 'b', 'a', 'b'].map(async (client) => {
      const end = await gate.enter({ client });
      order.push(client);
      await nextLoop();
      end();
    });
    leave[0]?.();
    await nextLoop();
    expect(order[0]).to.equal('b');
    leave[1]?.();
    await Promise.all(waiting);
    expect([order.length, gate.idle]).to.deep.equal([5, true]);
  });

  it('MANGROVE-20: a new caller does not wait for everything that another one has requested before', async () => {
    const gate = createGate({ atOnce: 1, maxWaiting: 10 });
    const leave = await gate.enter({ client: 'a' });
    const order: string[] = [];
    const waiting = ['a', 'a', 'a', 'b', 'a', 'b'].map(async (client) => {
      const end = await gate.enter({ client });
      order.push(client);
      end();
    });
    leave();
    await Promise.all(waiting);
    expect(order.join('')).to.equal('babaaa');
    expect(gate.idle).to.equal(true);
  });

  it('callers who have just come do not keep others waiting, however many come', async () => {
    const gate = createGate({ atOnce: 1, maxWaiting: 100 });
    const leave = await gate.enter({ client: 'first' });
    const log: string[] = [];
    let came = 0;
    const enter = async (client: string): Promise<void> => {
      const end = await gate.enter({ client });
      log.push(client);
      const next = came < 20 && client !== 'visitor' ? enter(`new ${++came}`) : null;
      await nextLoop();
      end();
      await next;
    };
    const all = [enter('visitor'), enter('visitor'), enter('visitor'), enter('other')];
    leave();
    await Promise.all(all);
    expect(log.filter((client) => client === 'visitor')).to.have.length(3);
    expect(log.lastIndexOf('visitor'), log.join()).to.be.below(8);
    expect(gate.idle).to.equal(true);
  });

  it('a full gate refuses the youngest job of the caller with the most waiting, whoever comes', async () => {
    const gate = createGate({ atOnce: 1, maxWaiting: 6 });
    const leave = await gate.enter({ client: 'a' });
    const log: string[] = [];
    const enter = async (name: string, signal?: AbortSignal): Promise<void> => {
      const who = { client: name.slice(0, 1), ...(signal && { signal }) };
      const end = await gate.enter(who).catch(() => null);
      log.push(`${name}${end ? ' in' : ' refused'}`);
      end?.();
    };
    const controller = new AbortController();
    const all = [
      ...['a1', 'a2', 'a3', 'a4', 'b1'].map((name) => enter(name)),
      enter('b2', controller.signal),
    ];
    all.push(enter('c1'));
    await nextLoop();
    expect(log).to.deep.equal(['a4 refused']);
    // As many as the others have: nobody has more than it would have then.
    all.push(enter('a5'), enter('c2'));
    await nextLoop();
    expect(log.slice(1)).to.deep.equal(['a5 refused', 'a3 refused']);
    all.push(enter('d1'), enter('b3'), enter('d2'));
    await nextLoop();
    expect(log.slice(3)).to.have.members(['c2 refused', 'b3 refused', 'd2 refused']);
    controller.abort(new Error('gone'));
    leave();
    await Promise.all(all);
    expect(gate.idle).to.equal(true);
  });

  it('long computations yield to the event loop', async () => {
    let others = 0;
    const other = async (): Promise<void> => {
      for (; others < 1000; others++) await nextLoop();
    };
    void other();
    const until = (ms: number): number => {
      const end = performance.now() + ms;
      while (performance.now() < end);
      return others;
    };
    const seen = await mapInSlices([5, 5, 5, 5, 5, 5], until);
    others = 1000;
    expect(new Set(seen).size).to.be.above(2);
  });

  it('MANGROVE-19: all addresses of one network are one caller', () => {
    const callers: Readonly<Record<string, string>> = {
      '203.0.113.7': '203.0.113.7',
      '::ffff:203.0.113.7': '203.0.113.7',
      '2001:db8:1:2:3:4:5:6': '2001:db8:1:2::/64',
      '2001:DB8:1:2::9': '2001:db8:1:2::/64',
      '2001:db8:1:2::': '2001:db8:1:2::/64',
      '2001:db8:1:3::9': '2001:db8:1:3::/64',
      '2001:db8::9': '2001:db8:0:0::/64',
      'fe80::1%eth0': 'fe80:0:0:0::/64',
      '::1': '0:0:0:0::/64',
      '64:ff9b::203.0.113.7': '64:ff9b:0:0::/64',
      'no address': 'no address',
    };
    for (const [address, caller] of Object.entries(callers))
      expect(callerOf(address), address).to.equal(caller);
  });

  it('MANGROVE-18: a response that is not read is aborted when its time is over, files too', async () => {
    for (const body of [
      Buffer.alloc(40_000_000),
      () =>
        new Readable({
          read(size) {
            this.push(Buffer.alloc(size));
          },
        }),
    ]) {
      const app: App = new Koa();
      // It would print the aborted transfer.
      app.silent = true;
      app.use(limitBufferedResponses({ maxBytes: 100_000_000, unreadMs: 50 }));
      app.use((ctx) => {
        ctx.body = typeof body === 'function' ? body() : body;
      });
      const listening = app.listen(0, '127.0.0.1');
      await once(listening, 'listening');
      const { port } = listening.address() as AddressInfo;
      const socket = connect(port, '127.0.0.1');
      socket.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n');
      const [arrived] = await once(listening, 'connection');
      await once(arrived, 'close');
      socket.destroy();
      listening.close();
      await once(listening, 'close');
    }
  });

  it('responses that nobody reads are aborted, the oldest first', async () => {
    const app: App = new Koa();
    const body = Buffer.alloc(40_000_000);
    app.use(limitBufferedResponses({ maxBytes: 100_000_000 }));
    app.use((ctx) => {
      ctx.body = body;
    });
    const listening = app.listen(0, '127.0.0.1');
    await once(listening, 'listening');
    const base = `http://127.0.0.1:${(listening.address() as AddressInfo).port}`;
    const ask = async (): Promise<IncomingMessage> => {
      const sent = request(base);
      sent.end();
      const [response]: IncomingMessage[] = await once(sent, 'response');
      if (!response) throw new Error('no answer');
      response.on('error', () => undefined);
      return response;
    };
    const isWhole = async (response: IncomingMessage): Promise<boolean> => {
      response.resume();
      await new Promise((resolve) => response.once('close', resolve));
      return response.complete;
    };
    const answers = [await ask(), await ask(), await ask()];
    expect(await Promise.all(answers.map(isWhole))).to.deep.equal([false, true, true]);
    listening.close();
    await once(listening, 'close');
  });
});
