import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type Koa from 'koa';
import type { RequestState } from './context.js';

/** Longer than the 60 s after which most load balancers close an idle connection, so they close first. */
const KEEP_ALIVE_MS = 65_000;

export interface RunningServer {
  readonly server: Server;
  readonly port: number;
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
    const handle = app.callback();
    let draining = false;
    const server = createServer((request, response) => {
      // A connection kept alive would hold the drain up.
      response.once('close', () => draining && setImmediate(() => server.closeIdleConnections()));
      void handle(request, response);
    });
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
      resolve({ server, port: address.port, drain });
    });
  });
