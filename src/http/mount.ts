import Router from '@koa/router';
import type { AppMiddleware, RequestState, Route } from './context.js';
import type { AppDeps } from './deps.js';
import { guard } from './middleware/guard.js';

/**
 * The route tables as one middleware. Paths match in any case and with a trailing slash (rules A.1). A router tries each of its
 * paths in turn, so the routes of each first segment, `restaurants`, have one of their own: a request costs the same however many
 * content types there are.
 */
export const mountRoutes = (deps: AppDeps, routes: readonly Route[]): AppMiddleware => {
  const { prefix } = deps.config.rest;
  const place = prefix.split('/').filter((part) => part !== '').length + 1;
  const segmentOf = (path: string): string => path.split('/', place + 1)[place]?.toLowerCase() ?? '';
  const routers = new Map<string, Router<RequestState>>();
  for (const route of routes) {
    const path = prefix + route.path;
    const router = routers.get(segmentOf(path)) ?? new Router<RequestState>();
    routers.set(segmentOf(path), router);
    router[route.method](path, guard(deps, route));
  }
  const mounted = new Map(
    [...routers].map(([segment, router]) => [segment, router.routes() as AppMiddleware]),
  );
  return (ctx, next) => mounted.get(segmentOf(ctx.path))?.(ctx, next) ?? next();
};
