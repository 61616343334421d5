import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type Koa from 'koa';
import type { RequestState } from './context.js';

/** Longer than the 60 s after which most load balancers close an idle connection, so they close first. */
const KEEP_ALIVE_MS = 65_000;

export interface RunningServer {
  readonly server: Server;
  readonly port: number;
  /**
   * Lets running requests end (at most `drainMs`) and keeps new ones waiting, until what it answers is called with the app that takes
   * them.
   */
  hold(drainMs: number): Promise<(app: Koa<RequestState>) => void>;
  /** Stops accepting, lets running requests end (at most `drainMs`), then closes what is left. */
  drain(drainMs: number): Promise<void>;
}

export interface ListenOptions {
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
}

const closeGracefully = (server: Server, drainMs: number): Promise<void> =>
  new Promise((resolve) => {
    const deadline = setTimeout(() => server.closeAllConnections(), drainMs);
    server.close(() => {
      clearTimeout(deadline);
      resolve();
    });
    server.closeIdleConnections();
  });

/** Listens. Rejects with Node's own error where the port is taken. */
export const listen = (app: Koa<RequestState>, { host, port }: ListenOptions): Promise<RunningServer> =>
  new Promise((resolve, reject) => {
    let handle = app.callback();
    let draining = false;
    /** Until when new requests wait; null: they do not. */
    let held: Promise<void> | null = null;
    let running = 0;
    let whenIdle = (): void => undefined;
    const server = createServer(async (request, response) => {
      // A connection kept alive would hold the drain up.
      response.once('close', () => draining && setImmediate(() => server.closeIdleConnections()));
      while (held) await held;
      if (response.destroyed) return;
      running += 1;
      response.once('close', () => {
        running -= 1;
        if (running === 0) whenIdle();
      });
      void handle(request, response);
    });
    const hold = async (drainMs: number): Promise<(next: Koa<RequestState>) => void> => {
      let resume = (): void => undefined;
      held = new Promise((resolve) => {
        resume = resolve;
      });
      if (running > 0)
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
      const drain = (drainMs: number): Promise<void> => {
        draining = true;
        return closeGracefully(server, drainMs);
      };
      resolve({ server, port: address.port, hold, drain });
    });
  });
