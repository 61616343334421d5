import type { Handler, Values } from './types.js';
import { withRefused } from './unsupported.js';

interface Server {
  readonly proxy: boolean;
  routes(given: unknown): void;
  use(name: string, handler: Handler): void;
}

/** `strapi.server` before the server listens, and what code has said about the app. */
export function serverOf({ proxy, routes, use: add }: Server) {
  const use = (handler: Handler): void => add('strapi.server.use', handler);
  const listeners: (readonly [event: string, listener: () => void])[] = [];
  const on = (event: string, listener: () => void): void => void listeners.push([event, listener]);
  const app = { proxy, use, on };
  const api: Values = { routes, use, app: withRefused<Values>('server.app', app, 'all') };
  return { api, app, listeners };
}
