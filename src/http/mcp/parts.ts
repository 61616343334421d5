import type { McpParts } from '../../mcp/types.js';
import { type RouteCaller, routeCaller } from '../call-routes.js';
import { contractParts } from '../contract-parts.js';
import type { AppDeps } from '../deps.js';
import { unadaptedRoutes } from '../routes/all.js';
import { routeOfAction } from '../routes-of-actions.js';

/** What the tools for agents are built from. They use the current API, even if `rest.compat` is set. */
export function agentParts(deps: AppDeps): { readonly parts: McpParts; readonly callRoutes: RouteCaller } {
  const config = { ...deps.config, rest: { ...deps.config.rest, compat: null } };
  const { schema, store, reader, documents } = deps;
  const routes = unadaptedRoutes(deps);
  const unadapted = { ...deps, config };
  return {
    parts: {
      schema,
      store,
      reader,
      config,
      documents,
      contract: contractParts(unadapted, routes),
      serves: (type, action) => routeOfAction(routes, type, action) !== undefined,
    },
    callRoutes: routeCaller(unadapted, routes),
  };
}
