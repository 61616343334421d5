import Koa from 'koa';
import { cachedReads } from './http/conditional/cached-reads.js';
import type { App } from './http/context.js';
import type { AppDeps } from './http/deps.js';
import { docsPage } from './http/docs/page.js';
import { keepingHeaders } from './http/kept-headers.js';
import { bytesAsTheyAre } from './http/lazy-body.js';
import { liveQueries } from './http/live-query.js';
import { mcpEndpoint } from './http/mcp/endpoint.js';
import { parseBody } from './http/middleware/body.js';
import { budgets } from './http/middleware/budget.js';
import { compression } from './http/middleware/compression.js';
import { consistency } from './http/middleware/consistency.js';
import { allowOrigins } from './http/middleware/cors.js';
import { answerErrors, missingForCode } from './http/middleware/errors.js';
import { firstPage } from './http/middleware/first-page.js';
import { poweredBy, requestId, responseTime, serverTiming } from './http/middleware/headers.js';
import { checkPath } from './http/middleware/path.js';
import { health, serveMetrics } from './http/middleware/probes.js';
import { readQuery } from './http/middleware/query.js';
import { recordRequests } from './http/middleware/request-log.js';
import { securityHeaders } from './http/middleware/security.js';
import { serialize } from './http/middleware/serialize.js';
import { limitBufferedResponses } from './http/middleware/slow-clients.js';
import { serveUploads } from './http/middleware/static-uploads.js';
import { unmatched } from './http/middleware/unmatched.js';
import { mountRoutes } from './http/mount.js';
import { hasMiddlewares, ownMiddlewares } from './http/own-routes.js';
import { allRoutes } from './http/routes/all.js';
import { querySettings } from './query/settings.js';
import { prepareForCode } from './strapi/answers.js';

/** Composes the middleware of a request, from top to bottom. */
export const createApp = (deps: AppDeps): App => {
  const { config, events } = deps;
  const { record } = events;
  const {
    body,
    cors,
    poweredBy: name,
    security,
    compression: compress,
    responseTime: timed,
  } = config.middlewares;
  const app: App = new Koa({
    proxy: deps.code.running?.server.app.proxy ?? config.server.proxy,
    maxIpsCount: config.server.proxyIps,
  });
  // Errors while sending an answer, mostly disconnected clients: not a bug, so no stack on the console.
  app.on('error', (error) => record({ name: 'connection-lost', err: error }));

  for (const [event, listener] of deps.code.running?.server.listeners ?? []) app.on(event, listener);
  liveQueries(app, querySettings(config, 'rest').limits);
  if (deps.code.running) prepareForCode(app, deps.code.running);

  app.use(requestId());
  app.use(limitBufferedResponses({ maxBytes: config.server.maxUnsentBytes }));
  if (config.server.metrics) app.use(serveMetrics(events.metrics));
  app.use(recordRequests(record));
  if (timed) app.use(responseTime());
  if (compress !== null) app.use(compression(compress));
  app.use(answerErrors(record, config.rest.compat));
  app.use(cachedReads(config.rest)); // 304
  if (config.server.timing) app.use(serverTiming());
  if (deps.code.running !== null || hasMiddlewares(deps)) app.use(bytesAsTheyAre());
  for (const middleware of ownMiddlewares(deps, 'first')) app.use(middleware);
  app.use(health(deps.ready));
  if (security !== null) app.use(securityHeaders(security));
  if (cors !== null) app.use(allowOrigins(cors));
  if (name !== null) app.use(poweredBy(name));
  app.use(keepingHeaders()); //       errors are sent with the headers so far
  app.use(checkPath()); //            400 malformed percent escape
  app.use(consistency(deps.store, config.secrets.jwtSecret)); // 400 a token from another server
  // As in Strapi, middlewares of a project's code may close uploads.
  const missing = missingForCode(deps);
  const { provider } = deps.media;
  if (missing.length === 0) app.use(serveUploads(provider, config.middlewares.public));
  app.use(budgets(deps)); //          503 timeout
  app.use(serialize());
  app.use(readQuery(querySettings(config, 'rest').limits));
  for (const middleware of ownMiddlewares(deps, 'beforeBody')) app.use(middleware);
  app.use(parseBody(body, deps.code.running !== null)); // 400 malformed JSON · 413 too large
  for (const middleware of ownMiddlewares(deps, 'beforeRoutes')) app.use(middleware);
  for (const middleware of missing) app.use(middleware);
  if (missing.length > 0) app.use(serveUploads(provider, config.middlewares.public));
  app.use(mcpEndpoint(deps)); //      tools for agents, which call the routes below
  // For each route: 401 not authenticated · 403 not granted, or rejected by a policy of the project; then its
  // controller.
  app.use(mountRoutes(deps, allRoutes(deps)));
  for (const middleware of ownMiddlewares(deps, 'afterRoutes')) app.use(middleware);
  app.use(docsPage(config));
  app.use(firstPage(deps));
  app.use(unmatched()); //            404 no such route · 405 wrong method
  return app;
};
