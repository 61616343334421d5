import type Router from '@koa/router';
import type { DescribedRoute } from '../describe/contract/types.js';
import { pathSource } from '../values/path-pattern.js';

type Handler<S, C> = Parameters<Router<S, C>['register']>[2];

/** Adds a route to a router; a pattern of its own replaces what its path would match. */
export function registerRoute<S, C>(
  router: Router<S, C>,
  { path, method, outsidePrefix, pattern }: DescribedRoute,
  prefix: string,
  handler: Handler<S, C>,
): void {
  const start = outsidePrefix ? '' : prefix;
  const layer = router.register(start + path, [method], handler);
  if (!pattern) return;
  layer.regexp = new RegExp(`^${pathSource(start)}${pattern.source}[/#?]?$`, 'i');
  layer.paramNames = pattern.names.map((name) => ({ type: 'param', name }));
}
