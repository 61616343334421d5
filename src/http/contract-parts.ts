import type { ContractParts, DescribedRoute } from '../describe/contract/types.js';
import { NO_DEFINITION } from '../project-code/types.js';
import { routesBeside } from './beside.js';
import type { RouteParts } from './deps.js';

/** What the contract of a server is made of. */
export const contractParts = (
  { config, schema, own }: RouteParts,
  routes: readonly DescribedRoute[],
): ContractParts => ({
  config,
  schema,
  routes: [...routes, ...routesBeside(config)],
  hasOwnCode: own.definition !== NO_DEFINITION,
});
