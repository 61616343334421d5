import Router from '@koa/router';
import type { DescribedRoute } from '../describe/contract/types.js';
import { registerRoute } from './register-route.js';

/** The row of a table that answers a request. */
interface FoundRoute<R extends DescribedRoute> {
  readonly route: R;
  /** The decoded parameters of its path. */
  readonly params: Readonly<Record<string, string>>;
}

/**
 * Which of these routes answers a method and a path, as `mountRoutes` would choose it; null if none does.
 * @param prefix of the paths, unless a route is `outsidePrefix`
 */
export function routeAt<R extends DescribedRoute>(
  routes: readonly R[],
  prefix: string,
  { method, path }: { readonly method: string; readonly path: string },
): FoundRoute<R> | null {
  for (const route of routes) {
    const router = new Router();
    registerRoute(router, route, prefix, () => undefined);
    const [layer] = router.match(path, method.toUpperCase()).pathAndMethod;
    if (layer) return { route, params: layer.params(path, layer.captures(path)) };
  }
  return null;
}
