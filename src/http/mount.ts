import Router from '@koa/router';
import type { DefaultState } from 'koa';
import { groupBy } from '../values/group.js';
import type { AppContext, AppMiddleware, Route } from './context.js';
import type { AppDeps } from './deps.js';
import { guard } from './middleware/guard.js';
import { registerRoute } from './register-route.js';

/** Of several routes that match, the first answers: a guarded controller never passes on. */
function routerOf(deps: AppDeps, routes: readonly Route[]): AppMiddleware {
  const router = new Router<DefaultState, AppContext>();
  for (const route of routes) registerRoute(router, route, deps.config.rest.prefix, guard(deps, route));
  const dispatch = router.routes();
  return (ctx, next) => dispatch(Object.assign(ctx, { router, params: {} }), next);
}

const pathOf = ({ config }: AppDeps, { path, outsidePrefix }: Route): string =>
  outsidePrefix ? path : config.rest.prefix + path;

/**
 * The route tables as one middleware. Paths are case-insensitive and may end with a slash. Koa's router tries
 * every route, so each first segment, such as `restaurants`, has a router of its own: the cost of a request
 * does not depend on the number of content types.
 */
export const mountRoutes = (deps: AppDeps, routes: readonly Route[]): AppMiddleware => {
  const { prefix } = deps.config.rest;
  const place = prefix.split('/').filter((part) => part !== '').length + 1;
  const segmentOf = (path: string): string => path.split('/', place + 1)[place]?.toLowerCase() ?? '';
  /** Routes of the project's code that are not below a literal segment belong to every router. */
  const isAnywhere = (route: Route): boolean => {
    const path = pathOf(deps, route);
    return !path.startsWith(prefix) || !/^[^:*{]+$/.test(segmentOf(path));
  };
  const anywhere = routes.filter(isAnywhere);
  const bySegment = groupBy(
    routes.filter((route) => !isAnywhere(route)),
    (route) => segmentOf(pathOf(deps, route)),
  );
  const routers = new Map(
    [...bySegment].map(([segment, own]) => [
      segment,
      routerOf(
        deps,
        anywhere.length === 0
          ? own
          : routes.filter((route) => own.includes(route) || anywhere.includes(route)),
      ),
    ]),
  );
  const elsewhere = routerOf(deps, anywhere);
  return (ctx, next) => (routers.get(segmentOf(ctx.path)) ?? elsewhere)(ctx, next);
};
