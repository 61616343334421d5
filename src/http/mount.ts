import Router, { type Layer } from '@koa/router';
import { groupBy } from '../values/group.js';
import type { AppMiddleware, RequestContext, Route } from './context.js';
import type { AppDeps } from './deps.js';
import { guard } from './middleware/guard.js';

/** The matcher of a path, as in koa's router. */
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
 * The route tables as one middleware. Paths are case-insensitive and may end with a slash. Routes are grouped
 * by their first segment, such as `restaurants`, so that the cost of a request does not depend on the number
 * of content types. The first route that matches path and method answers; koa's router would compose a chain
 * of middleware for each request.
 */
export const mountRoutes = (deps: AppDeps, routes: readonly Route[]): AppMiddleware => {
  const { prefix } = deps.config.rest;
  const place = prefix.split('/').filter((part) => part !== '').length + 1;
  const segmentOf = (path: string): string => path.split('/', place + 1)[place]?.toLowerCase() ?? '';
  const all = routes.map((route): Mounted => {
    const path = route.outsidePrefix ? route.path : prefix + route.path;
    return { path, layer: layerOf(path, route.method), answer: guard(deps, route) };
  });
  /** Routes of the project's code that are not below a literal segment belong to every group. */
  const isAnywhere = ({ path }: Mounted): boolean =>
    !path.startsWith(prefix) || !/^[^:*{]+$/.test(segmentOf(path));
  const anywhere = all.filter(isAnywhere);
  const named = groupBy(
    all.filter((one) => !isAnywhere(one)),
    ({ path }) => segmentOf(path),
  );
  const bySegment =
    anywhere.length === 0
      ? named
      : new Map(
          [...named].map(([segment, group]) => [
            segment,
            all.filter((one) => group.includes(one) || anywhere.includes(one)),
          ]),
        );
  return (ctx, next) => {
    const { path, method } = ctx;
    const mounted = bySegment.get(segmentOf(path)) ?? anywhere;
    const found = mounted.find(({ layer }) => layer.methods.includes(method) && layer.match(path));
    if (!found) {
      ctx['matched'] = mounted.flatMap(({ layer }) => (layer.match(path) ? layer : []));
      return next();
    }
    const { layer, answer } = found;
    const params = layer.params(path, layer.captures(path));
    // Also where koa's router puts them, for controllers written for Strapi.
    Object.assign(ctx.request, { params });
    return answer(Object.assign(ctx, { params, _matchedRoute: found.path }));
  };
};
