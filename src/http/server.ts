import { createServer, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, Server as NetServer } from 'node:net';
import type { Duplex } from 'node:stream';
import { afterOpening } from './after-opening.js';
import type { App } from './context.js';
import { oneAtATime } from './one-at-a-time.js';
import { shutOutOf } from './shut-out.js';

/**
 * Longer than the 60 s after which most load balancers close an idle connection, so that they close first.
 */
const KEEP_ALIVE_MS = 65_000;
/**
 * Connections in use are not closed while a client may be about to send: they have this long for one more
 * request.
 */
const LINGER_MS = 1000;

export interface RunningServer {
  readonly server: Server;
  readonly port: number;
  /**
   * Waits for running requests (at most `drainMs`) and holds back new ones until the returned function is
   * called with the app that handles them.
   */
  hold(drainMs: number): Promise<(app: App) => void>;
  /**
   * Stops accepting connections, waits for running requests (at most `drainMs`), then closes what is left.
   * With `lingers`, a connection used a moment ago gets one more request answered, and is told that it was
   * the last.
   */
  drain(drainMs: number, lingers?: boolean): Promise<void>;
}

interface ListenOptions {
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  /** All connections come from a proxy, so that of a flood only its connection is closed. */
  readonly proxy?: boolean;
  /** A server that code has made: it emits the requests that are left to answer as `event`. */
  readonly own?: { readonly server: Server; readonly event: string } | null;
}

/** `close` of an HTTP server closes idle connections at once; here they have `lingerMs`. */
const closeGracefully = (server: Server, drainMs: number, lingerMs: number): Promise<void> =>
  new Promise((resolve) => {
    const deadline = setTimeout(() => server.closeAllConnections(), drainMs);
    const linger = setTimeout(() => server.close(), lingerMs);
    NetServer.prototype.close.call(server, () => {
      clearTimeout(deadline);
      clearTimeout(linger);
      server.close();
      resolve();
    });
  });

/** Starts listening. Rejects with Node's own error if the port is taken. */
export const listen = (
  app: App,
  { host, port, proxy = false, own = null }: ListenOptions,
): Promise<RunningServer> =>
  new Promise((resolve, reject) => {
    let handle = app.callback();
    let draining = false;
    /** Resolves when new requests may proceed; null if they need not wait. */
    let held: Promise<void> | null = null;
    const running = new Set<ServerResponse>();
    let whenIdle = (): void => undefined;
    /** When a connection was opened or a request ended, by `performance.now()`. */
    let lastUsed = Number.NEGATIVE_INFINITY;
    const isUsed = (): void => {
      lastUsed = performance.now();
    };
    let lingersUntil = 0;
    const server = own?.server ?? createServer();
    const whenOpened = afterOpening(server);
    const inOrder = oneAtATime(proxy ? (socket) => socket.destroy() : shutOutOf(server));
    const answer = inOrder(async (request, response) => {
      const turn = whenOpened(request.socket);
      if (turn) await turn;
      // A kept-alive connection would delay the drain.
      if (draining) response.shouldKeepAlive = false;
      response.once('close', () => {
        isUsed();
        if (draining && lingersUntil <= lastUsed) setImmediate(() => server.closeIdleConnections());
        if (running.delete(response) && running.size === 0) whenIdle();
      });
      while (held) await held;
      if (response.destroyed) return;
      running.add(response);
      void handle(request, response);
    });
    server.on(own?.event ?? 'request', answer);
    /** Node no longer knows these as connections. */
    const upgraded = new Set<Duplex>();
    // Without a listener, Node ignores that a client asks for an upgrade.
    if (server.listenerCount('upgrade') > 0)
      server.on('upgrade', (_, socket: Duplex) => {
        upgraded.add(socket);
        socket.once('close', () => upgraded.delete(socket));
      });
    // A request with an `Expect` other than 100-continue, which Node would answer at once.
    server.on(
      'checkExpectation',
      inOrder((_, response) => void response.writeHead(417).end()),
    );
    server.on('connection', isUsed);
    const hold = async (drainMs: number): Promise<(next: App) => void> => {
      let resume = (): void => undefined;
      held = new Promise((resolve) => {
        resume = resolve;
      });
      if (running.size > 0)
        await new Promise<void>((resolve) => {
          const late = setTimeout(resolve, drainMs);
          whenIdle = () => {
            clearTimeout(late);
            resolve();
          };
        });
      return (next) => {
        handle = next.callback();
        held = null;
        resume();
      };
    };
    server.keepAliveTimeout = KEEP_ALIVE_MS;
    server.headersTimeout = KEEP_ALIVE_MS + 1000;
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      const address = server.address() as AddressInfo;
      const drain = (drainMs: number, lingers = false): Promise<void> => {
        draining = true;
        for (const socket of upgraded) socket.destroy();
        for (const response of running) response.shouldKeepAlive = false;
        const now = performance.now();
        if (lingers) lingersUntil = Math.min(lastUsed + LINGER_MS, now + drainMs);
        return closeGracefully(server, drainMs, Math.max(0, lingersUntil - now));
      };
      resolve({ server, port: address.port, hold, drain });
    });
  });
