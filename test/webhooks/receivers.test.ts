/** Receivers that do not behave: what comes of a request to them, and that it ends. */
import dns from 'node:dns';
import { syncBuiltinESMExports } from 'node:module';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { createServer as createTls } from 'node:tls';
import { expect } from 'chai';
import { keepConnections, type PostOptions, post } from '../../src/webhooks/post.js';
import { startReceiver } from './receiver.js';

/** Of a certificate that nobody has signed, for localhost, until 2126. */
const KEY = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg7sPYN0hpEIx/Lpn4
lH6PgK3Zw3FnTsKGn39SmDAJpbqhRANCAATGoQ+blDfdb2sCpiT7C23H0PuXHtIw
expCDeuwNBNsnp2B2kVzn8xFGzVY6gvcxzlDDIE4sw1Wu1byMs0fLSwk
-----END PRIVATE KEY-----`;
const CERTIFICATE = `-----BEGIN CERTIFICATE-----
MIIBmzCCAUGgAwIBAgIUZlnjdpwMLs8fhXmj8AmbdoAml0gwCgYIKoZIzj0EAwIw
FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTEyODEyNTc1NloYDzIxMjYxMTA0
MTI1NzU2WjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAATGoQ+blDfdb2sCpiT7C23H0PuXHtIwexpCDeuwNBNsnp2B2kVzn8xF
GzVY6gvcxzlDDIE4sw1Wu1byMs0fLSwko28wbTAdBgNVHQ4EFgQU3gyoupog/iU0
OozLNoKK6MmVjhMwHwYDVR0jBBgwFoAU3gyoupog/iU0OozLNoKK6MmVjhMwDwYD
VR0TAQH/BAUwAwEB/zAaBgNVHREEEzARgglsb2NhbGhvc3SHBH8AAAEwCgYIKoZI
zj0EAwIDSAAwRQIhAP/82b2BArmupbq0IlXQxreyXLEohIJlgrlVJt2SEUBrAiAw
wwUiH4eusLiqpXCd6PnaV0m0dZFdNDXHx3KlETV72g==
-----END CERTIFICATE-----`;

const HEAD = 'HTTP/1.1 200 OK\r\nContent-Length: 10000000\r\n\r\n';

interface Misbehaving {
  /** With a connection on which a request has begun. */
  does(socket: Socket): void;
  /** What is noted. */
  readonly status: number | null;
  readonly error?: RegExp;
  /** Milliseconds to answer; absent: it ends before. */
  readonly timeout?: number;
}

const RECEIVERS: Readonly<Record<string, Misbehaving>> = {
  'never answers': { does: () => undefined, status: null, error: /^no answer within 0.3 s$/, timeout: 300 },
  'answers byte by byte': {
    does: (socket) => drip(socket, HEAD),
    status: null,
    error: /^no answer within 0.3 s$/,
    timeout: 300,
  },
  'never ends its answer': {
    does(socket) {
      socket.write(HEAD);
      drip(socket, 'x');
    },
    status: 200,
    timeout: 5000,
  },
  'answers 10 MB': { does: (socket) => void socket.write(HEAD + 'x'.repeat(10_000_000)), status: 200 },
  'closes early': {
    does: (socket) => void socket.destroy(),
    status: null,
    error: /socket hang up|ECONNRESET/,
  },
  'closes within its answer': {
    does: (socket) => void socket.write(HEAD, () => socket.destroy()),
    status: 200,
  },
  'speaks something else': {
    does: (socket) => void socket.end('220 mail.example ESMTP\r\n'),
    status: null,
    error: /Parse Error/,
  },
};

function drip(socket: Socket, text: string): void {
  let at = 0;
  const timer = setInterval(() => socket.write(text[at++ % text.length] ?? ''), 20);
  socket.once('close', () => clearInterval(timer));
}

describe('receivers of webhooks', () => {
  const sending = (url: string, more: Partial<PostOptions> = {}) =>
    post({
      ...{ url, headers: {}, payload: '{}', allows: () => true, signal: new AbortController().signal },
      ...more,
    });

  /** @returns the open connections */
  const listening = async (server: ReturnType<typeof createServer>) => {
    const sockets = new Set<Socket>();
    server.on('connection', (socket) => {
      sockets.add(socket);
      socket.on('error', () => undefined).once('close', () => sockets.delete(socket));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const close = async (): Promise<void> => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    };
    return { port: (server.address() as AddressInfo).port, close };
  };

  for (const [name, { does, status, error, timeout = 60_000 }] of Object.entries(RECEIVERS))
    for (const isKept of [false, true])
      it(`one that ${name}, over a connection that is ${isKept ? 'kept' : 'its own'}`, async () => {
        const { port, close } = await listening(
          createServer((socket) => void socket.once('data', () => does(socket))),
        );
        const connections = keepConnections();
        try {
          const url = `http://127.0.0.1:${port}/`;
          const answered = await sending(url, { timeout, ...(isKept && { connections }) });
          expect(answered.status).to.equal(status);
          if (error) expect(answered.error).to.match(error);
          else expect(answered.error).to.equal(null);
        } finally {
          connections.close();
          await close();
        }
      });

  it('are refused if their certificate is not trusted, or there is none', async () => {
    for (const [options, reason] of [
      [{ key: KEY, cert: CERTIFICATE }, /self-signed certificate/],
      [{}, /handshake failure/],
    ] as const) {
      let heard = '';
      const { port, close } = await listening(
        createTls(options, (socket) => void socket.on('data', (text) => (heard += text))).on(
          'tlsClientError',
          () => undefined,
        ),
      );
      const { status, error } = await sending(`https://localhost:${port}/`);
      expect([status, heard]).to.deep.equal([null, '']);
      expect(error).to.match(reason);
      await close();
    }
    const receiver = await startReceiver();
    const { status, error } = await sending(receiver.url.replace('http:', 'https:'));
    expect([status, receiver.received.length]).to.deep.equal([null, 0]);
    expect(error).to.match(/wrong version number|packet length too long/);
    await receiver.close();
  });

  it('are connected to at the address that was checked, and at no other of the same name', async () => {
    const receiver = await startReceiver();
    const { port } = new URL(receiver.url);
    const { lookup } = dns;
    let names: readonly (readonly string[])[] = [];
    let asked = 0;
    const fake = (_: string, __: object, found: (error: null, addresses: object[]) => void): void => {
      const addresses = names[asked++] ?? [];
      found(
        null,
        addresses.map((address) => ({ address, family: 4 })),
      );
    };
    dns.lookup = fake as typeof lookup;
    syncBuiltinESMExports();
    const to = (addresses: typeof names) => {
      [names, asked] = [addresses, 0];
      const allows = (_: string, address: string) => address === '127.0.0.1';
      return sending(`http://rebinding.example:${port}/`, { allows });
    };
    try {
      // The second answer would be of a private network: it is never asked for.
      expect((await to([['127.0.0.1'], ['10.0.0.1']])).status).to.equal(204);
      expect(asked).to.equal(1);
      for (const addresses of [['10.0.0.1'], ['127.0.0.1', '10.0.0.1']])
        expect((await to([addresses])).error).to.contain('private network');
      expect(receiver.received.length).to.equal(1);
    } finally {
      dns.lookup = lookup;
      syncBuiltinESMExports();
      await receiver.close();
    }
  });
});
