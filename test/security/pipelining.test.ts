/** Requests sent at once on one connection take turns with those of others. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { setImmediate as nextLoop, setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import Koa from 'koa';
import { afterOpening } from '../../src/http/after-opening.js';
import type { App } from '../../src/http/context.js';
import { listen, type RunningServer } from '../../src/http/server.js';
import { shutOutOf } from '../../src/http/shut-out.js';

const get = (path: string, header = 'Host: a'): string => `GET ${path} HTTP/1.1\r\n${header}\r\n\r\n`;

/** Sends text on a connection from an address of its own and collects what is received. */
const open = (port: number, text: string, localAddress = '127.0.0.1') => {
  const socket = connect({ port, host: '127.0.0.1', localAddress });
  let received = '';
  socket.on('error', () => undefined);
  socket.on('data', (chunk) => {
    received += String(chunk);
  });
  socket.write(text);
  return { socket, received: () => received };
};

const isClosed = (socket: Socket): Promise<unknown> =>
  socket.closed ? Promise.resolve() : once(socket, 'close');

const count = (text: string, part: string): number => text.split(part).length - 1;

describe('security: opening connections', () => {
  it('the first request of another client does not wait for those on connections that were opened before', async () => {
    const server = createServer();
    const whenOpened = afterOpening(server, Number.POSITIVE_INFINITY);
    const begun: string[] = [];
    server.on('request', async ({ socket, url = '' }, response) => {
      await whenOpened(socket);
      begun.push(url);
      response.end();
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const close = 'Host: a\r\nConnection: close';
    const many = Array.from({ length: 40 }, () => open(port, get('/many', close)));
    const all = [...many, open(port, get('/one', close), '127.0.0.2')];
    await Promise.all(all.map(({ socket }) => isClosed(socket)));
    expect(begun).to.have.length(41);
    expect(begun.indexOf('/one')).to.be.below(5);
    server.close();
  });
});

describe('security: pipelining', function () {
  this.timeout(180_000);
  let app: App;
  let server: RunningServer;
  let handled: string[] = [];
  let running = 0;
  let mostRunning = 0;
  /** What a request waits for. */
  let wait: (path: string) => Promise<unknown> = async () => undefined;
  beforeEach(async () => {
    [handled, running, mostRunning] = [[], 0, 0];
    wait = async () => undefined;
    app = new Koa();
    app.use(async (ctx) => {
      running += 1;
      mostRunning = Math.max(mostRunning, running);
      handled.push(ctx.path);
      await wait(ctx.path);
      running -= 1;
      ctx.body = ctx.path;
    });
    server = await listen(app, { host: '127.0.0.1', port: 0 });
  });
  afterEach(() => server.drain(100));

  const paths = (n: number): string[] => Array.from({ length: n }, (_, i) => `/${i}`);
  const send = (n: number): string =>
    paths(n)
      .map((path) => get(path))
      .join('');

  it('one request of a connection is handled at a time, in order, and all are answered', async () => {
    wait = () => sleep(1);
    const { socket, received } = open(server.port, send(50));
    while (count(received(), 'HTTP/1.1 200') < 50) await sleep(5);
    expect(handled).to.deep.equal(paths(50));
    expect(mostRunning).to.equal(1);
    const bodies = [...received().matchAll(/\r\n\r\n(\/\d+)/g)].map(([, path]) => path);
    expect(bodies).to.deep.equal(paths(50));
    socket.destroy();
  });

  it('those that waited begin in different turns of the event loop, on whichever connections', async () => {
    let turn = 0;
    let going = true;
    const inTurn = new Map<number, number>();
    const counting = (async () => {
      for (; going; turn += 1) await nextLoop();
    })();
    wait = async () => void inTurn.set(turn, (inTurn.get(turn) ?? 0) + 1);
    const connections = Array.from({ length: 10 }, () => open(server.port, send(30)));
    while (handled.length < 300) await sleep(5);
    going = false;
    await counting;
    // The first of each connection does not wait.
    expect(Math.max(...inTurn.values())).to.be.at.most(11);
    for (const { socket } of connections) socket.destroy();
  });

  it('the requests of a client that has gone are not handled', async () => {
    let release = (): void => undefined;
    wait = () =>
      new Promise<void>((resolve) => {
        release = resolve;
      });
    const { socket } = open(server.port, send(50));
    while (handled.length === 0) await sleep(5);
    socket.destroy();
    await sleep(50);
    release();
    await sleep(50);
    expect(handled).to.deep.equal(['/0']);
  });

  it('a connection with many waiting is closed, and its address cannot connect for a while', async () => {
    wait = () => sleep(200);
    const other = open(server.port, get('/other'), '127.0.0.2');
    const kept = open(server.port, get('/kept'), '127.0.0.3');
    const flood = open(server.port, send(500), '127.0.0.3');
    await Promise.all([isClosed(flood.socket), isClosed(kept.socket)]);
    const again = open(server.port, get('/again'), '127.0.0.3');
    await isClosed(again.socket);
    while (!other.received().includes('/other')) await sleep(5);
    expect(handled).to.not.include('/again');
    expect(handled.filter((path) => /\d/.test(path) && path !== '/0')).to.deep.equal([]);
    other.socket.destroy();
  });

  it('behind a proxy only that connection is closed: the others are those of other clients', async () => {
    const behind = await listen(app, { host: '127.0.0.1', port: 0, proxy: true });
    wait = () => sleep(200);
    const kept = open(behind.port, get('/kept'));
    const flood = open(behind.port, send(500));
    await isClosed(flood.socket);
    const again = open(behind.port, get('/again'));
    while (!kept.received().includes('/kept') || !again.received().includes('/again')) await sleep(5);
    for (const { socket } of [kept, again]) socket.destroy();
    await behind.drain(100);
  });

  it('a client that pipelines 20 requests of any kind on each of 6 connections is answered in order', async () => {
    const kinds = [
      (path: string) => get(path),
      (path: string) => `HEAD ${path} HTTP/1.1\r\nHost: a\r\n\r\n`,
      (path: string) =>
        `POST ${path} HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n`,
      (path: string) =>
        `POST ${path} HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\nabc`,
    ];
    wait = () => sleep(1);
    const text = paths(20)
      .map((path, n) => kinds[n % kinds.length]?.(path) ?? '')
      .join('');
    const clients = Array.from({ length: 6 }, () => open(server.port, text));
    for (const { received, socket } of clients) {
      while (count(received(), 'HTTP/1.1 200') < 20) await sleep(5);
      expect(count(received(), 'HTTP/1.1 100')).to.equal(5);
      socket.destroy();
    }
    for (const path of paths(20)) expect(count(`${handled.join(' ')} `, `${path} `), path).to.equal(6);
  });

  it('a request to upgrade is answered like any other', async () => {
    const { socket, received } = open(
      server.port,
      get('/a', 'Host: a\r\nConnection: Upgrade\r\nUpgrade: websocket'),
    );
    while (!received().includes('/a')) await sleep(5);
    expect(received()).to.match(/^HTTP\/1\.1 200/);
    socket.destroy();
  });

  it('a client that goes at any moment leaves no request behind', async () => {
    wait = () => sleep(2);
    // The server may accept a connection long after its client has gone.
    let closed = 0;
    server.server.on('connection', (socket) => socket.once('close', () => (closed += 1)));
    const clients = Array.from({ length: 30 }, () => open(server.port, send(30)));
    await Promise.all(clients.map(({ socket }) => once(socket, 'connect')));
    for (const [n, { socket }] of clients.entries()) setTimeout(() => socket.destroy(), n * 3);
    while (closed < 30 || running > 0) await sleep(5);
    const before = handled.length;
    await sleep(50);
    expect(handled.length).to.equal(before);
    const { socket, received } = open(server.port, get('/after'));
    while (!received().includes('/after')) await sleep(5);
    socket.destroy();
  });

  it('a server that drains ends, whatever still waits', async () => {
    wait = () => sleep(100);
    const { socket, received } = open(server.port, send(50));
    while (handled.length === 0) await sleep(5);
    await server.drain(5000);
    expect(handled.length).to.be.below(50);
    await isClosed(socket);
    expect(received()).to.include('Connection: close');
  });

  it('expectations that are not met count as well', async () => {
    const flood = open(server.port, get('/a', 'Host: a\r\nExpect: b').repeat(500));
    await isClosed(flood.socket);
    const one = count(flood.received(), 'HTTP/1.1 417');
    expect(one).to.be.below(101);
  });

  it('an expectation that is not met is a 417', async () => {
    const { socket, received } = open(server.port, get('/a', 'Host: a\r\nExpect: b'));
    while (received() === '') await sleep(5);
    expect(received()).to.match(/^HTTP\/1\.1 417/);
    socket.destroy();
  });

  it('an address may connect again later', async () => {
    const plain: Server = createServer((_: IncomingMessage, response: ServerResponse) =>
      response.end('here'),
    );
    const shutOut = shutOutOf(plain, 2000);
    plain.listen(0, '127.0.0.1');
    await once(plain, 'listening');
    const { port } = plain.address() as AddressInfo;
    plain.once('request', ({ socket }: IncomingMessage) => shutOut(socket));
    await isClosed(open(port, get('/')).socket);
    await isClosed(open(port, get('/')).socket);
    await sleep(2100);
    const { socket, received } = open(port, get('/'));
    while (received() === '') await sleep(5);
    expect(received()).to.include('here');
    socket.destroy();
    plain.close();
  });
});
