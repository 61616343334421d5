import Router from '@koa/router';
import type { Access } from '../access/index.js';
import type { AppMiddleware, RequestState, Route } from './context.js';
import { guard } from './middleware/guard.js';

/** The route tables as one middleware. Paths match in any case and with a trailing slash (SPEC A.1). */
export const mountRoutes = (access: Access, prefix: string, routes: readonly Route[]): AppMiddleware => {
  const router = new Router<RequestState>();
  for (const route of routes) router[route.method](prefix + route.path, guard(access, route));
  return router.routes() as AppMiddleware;
};
