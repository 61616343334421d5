import { declaredRoutes } from '../../strapi/open.js';
import { batchRoute } from '../batch/batch-route.js';
import { codeRoutes } from '../code-routes.js';
import { adaptedRoutes } from '../compat/index.js';
import { refusingConditions, refusingPreconditions } from '../conditional/refusing.js';
import type { Route } from '../context.js';
import { contractParts } from '../contract-parts.js';
import type { RouteParts } from '../deps.js';
import { onceIn } from '../idempotency/answer-once.js';
import { applyPolicies, ownRoutes } from '../own-routes.js';
import { contentRoutes } from './content.js';
import { openApiRoute } from './openapi.js';
import { pluginRoutes } from './plugin-routes.js';

/** Routes of the tables are identified by their method and path, wherever a project's code puts them. */
const named = (route: Route): Route => ({
  ...route,
  operation: { kind: 'builtIn', name: `${route.method.toUpperCase()} ${route.path}` },
});

/** A route that changes something, with what is around its controller. */
const around = (wrap: NonNullable<Route['around']>, route: Route): Route =>
  route.method === 'get' ? route : { ...route, around: wrap, controller: wrap(route.controller) };

/** Adapted routes get it again, around the adaptation: an answer is kept in the form in which it is sent. */
const onceEach = (route: Route): Route =>
  route.operation?.kind === 'content' ? around(onceIn, route) : route;

/**
 * Every route below the prefix; the first that matches answers. Built without the services that answer
 * requests.
 */
export const allRoutes = (parts: RouteParts): readonly Route[] => tableOf(parts, true);

/** The same without adaptations for clients of older versions. */
export const unadaptedRoutes = (parts: RouteParts): readonly Route[] => {
  const { config } = parts;
  if (config.rest.compat === null) return allRoutes(parts);
  // Policies have already been checked by `allRoutes`.
  return tableOf({ ...parts, config: { ...config, rest: { ...config.rest, compat: null } } }, false);
};

function tableOf(parts: RouteParts, checked: boolean): readonly Route[] {
  const { config, schema, code, own } = parts;
  const builtIn = pluginRoutes.map(named);
  const declared = new Set(declaredRoutes({ own, code }).map(({ action }) => action));
  const content = [
    ...builtIn.map((route) => around(refusingConditions, route)),
    ...contentRoutes(schema, declared),
  ].map(onceEach);
  const adapting = adaptedRoutes({ config, schema }, content, onceEach);
  const routes: readonly Route[] = applyPolicies(
    own,
    [
      ...ownRoutes(own),
      ...codeRoutes(content, code, adapting),
      ...[
        openApiRoute(() => contractParts(parts, routes)),
        ...(config.rest.compat === null && config.rest.maxBatch > 0
          ? [
              around(
                refusingPreconditions,
                batchRoute(() => routes),
              ),
            ]
          : []),
      ].map(named),
    ],
    checked,
  );
  return routes;
}
