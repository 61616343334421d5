import Router, { type Layer } from '@koa/router';
import { groupBy } from '../values/group.js';
import type { AppMiddleware, RequestContext, Route } from './context.js';
import type { AppDeps } from './deps.js';
import { guard } from './middleware/guard.js';

/** What matches a path, as a router has it. */
function layerOf(path: string, method: string): Layer {
  const layer = new Router().register(path, [method], []);
  if (layer instanceof Router) throw new TypeError(`${path} is several paths`);
  return layer;
}

interface Mounted {
  readonly layer: Layer;
  readonly path: string;
  readonly answer: (ctx: RequestContext) => Promise<void>;
}

/**
 * The route tables as one middleware. Paths match in any case and with a trailing slash (rules A.1). Each path is tried in turn, so
 * the routes of each first segment, `restaurants`, are found by it: a request costs the same however many content types there are. The
 * first route that takes the path and the method answers; a whole router would compose a chain of middleware for each request.
 */
export const mountRoutes = (deps: AppDeps, routes: readonly Route[]): AppMiddleware => {
  const { prefix } = deps.config.rest;
  const place = prefix.split('/').filter((part) => part !== '').length + 1;
  const segmentOf = (path: string): string => path.split('/', place + 1)[place]?.toLowerCase() ?? '';
  const all = routes.map((route): Mounted => {
    const path = prefix + route.path;
    return { path, layer: layerOf(path, route.method), answer: guard(deps, route) };
  });
  const bySegment = groupBy(all, ({ path }) => segmentOf(path));
  return (ctx, next) => {
    const { path, method } = ctx;
    const mounted = bySegment.get(segmentOf(path)) ?? [];
    const found = mounted.find(({ layer }) => layer.methods.includes(method) && layer.match(path));
    if (!found) {
      ctx['matched'] = mounted.flatMap(({ layer }) => (layer.match(path) ? layer : []));
      return next();
    }
    const { layer, answer } = found;
    const params = layer.params(path, layer.captures(path));
    // Where koa's routers put them too, and controllers of Strapi look for them.
    Object.assign(ctx.request, { params });
    return answer(Object.assign(ctx, { params, _matchedRoute: found.path }));
  };
};
