import { createServer, type Server as HttpServer } from 'node:http';
import { once } from '../values/once-per.js';
import type { Handler, Values } from './types.js';
import { withRefused } from './unsupported.js';

interface Server {
  readonly proxy: boolean;
  routes(given: unknown): void;
  use(name: string, handler: Handler): void;
}

/** The event of a request that nothing attached to the HTTP server has taken. */
const LEFT = 'mangrove:request';

/** The HTTP server that code has asked for: what listens is to answer the requests that it emits as `event`. */
export interface CodeHttpServer {
  readonly server: HttpServer;
  readonly event: string;
}

/** `strapi.server` before the server listens, and what code has said about the app. */
export function serverOf({ proxy, routes, use: add }: Server) {
  const use = (handler: Handler): void => add('strapi.server.use', handler);
  const listeners: (readonly [event: string, listener: () => void])[] = [];
  const on = (event: string, listener: () => void): void => void listeners.push([event, listener]);
  const app = { proxy, use, on };
  let http: CodeHttpServer | null = null;
  // What attaches itself, such as Socket.IO, passes on to the listeners that were there.
  const httpServer = once((): HttpServer => {
    const server = createServer((...given) => void server.emit(LEFT, ...given));
    http = { server, event: LEFT };
    return server;
  });
  const api: Values = {
    routes,
    use,
    app: withRefused<Values>('server.app', app, 'all'),
    get httpServer() {
      return httpServer();
    },
  };
  return { api, app, listeners, http: () => http };
}
