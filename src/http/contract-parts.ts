import type { Config } from '../config/types.js';
import type { ContractParts, DescribedRoute } from '../describe/contract/types.js';
import { NO_DEFINITION } from '../project-code/types.js';
import type { RouteParts } from './deps.js';
import { showsDocs } from './docs/page.js';
import { showsFirstPage } from './middleware/first-page.js';

/** What the contract of a server is derived from. */
export const contractParts = (
  { config, schema, own, code }: RouteParts,
  routes: readonly DescribedRoute[],
): ContractParts => ({
  config,
  schema,
  routes: [...routes, ...routesOutsidePrefix(config)],
  hasOwnCode: own.definition !== NO_DEFINITION || code.running !== null,
});

const served = (path: string): DescribedRoute => ({
  method: 'get',
  path,
  outsidePrefix: true,
  action: null,
  operation: { kind: 'builtIn', name: `GET ${path}` },
});

/**
 * Routes that middleware serves outside the prefix (app.ts), as rows of the route table so that they are
 * described. `/mcp` is not included: its own protocol describes it.
 */
export const routesOutsidePrefix = (config: Config): readonly DescribedRoute[] =>
  [
    '/_health',
    '/_ready',
    '/uploads/:file',
    ...(config.server.metrics ? ['/metrics'] : []),
    ...(showsDocs(config) ? ['/docs', '/docs/:file'] : []),
    ...(showsFirstPage(config) ? ['/'] : []),
  ].map(served);
