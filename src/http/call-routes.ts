/** Calls routes of the content API from inside the server: for the tools of an agent, and for a batch. */
import { type IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import Koa from 'koa';
import qs from 'qs';
import type { ReadSession } from '../documents/read/reader.js';
import type { Budget } from '../limits/budget.js';
import type { ActionCall, RouteAnswer, ToolUser } from '../mcp/types.js';
import { paramsQuery } from '../query/query.js';
import type { App, AppMiddleware, Exchange, Route } from './context.js';
import type { AppDeps } from './deps.js';
import { answerErrors, missingForCode } from './middleware/errors.js';
import { recordRequests } from './middleware/request-log.js';
import { unmatched } from './middleware/unmatched.js';
import { mountRoutes } from './mount.js';
import { ownMiddlewares } from './own-routes.js';
import { routeOfAction } from './routes-of-actions.js';

/** The request on whose behalf routes are called, or a substitute for one: the calls share its budget. */
interface Outer {
  readonly headers: IncomingHttpHeaders;
  readonly socket: Socket;
  readonly requestId: string;
  readonly budget: Budget;
  readonly session?: ReadSession | undefined;
}

/** Headers that apply only to the outer request and its body, or that select another response format. */
const ITS_OWN: ReadonlySet<string> = new Set([
  'accept',
  'accept-encoding',
  'content-encoding',
  'content-length',
  'content-type',
  'idempotency-key',
  'if-none-match',
  'strapi-response-format',
  'transfer-encoding',
]);

const passedHeaders = (headers: IncomingHttpHeaders): IncomingHttpHeaders =>
  Object.fromEntries(
    Object.entries(headers).filter(([name]) => !ITS_OWN.has(name) && !name.startsWith('mcp-')),
  );

type Context = Parameters<AppMiddleware>[0];

/** Runs each middleware with its successor as `next`. */
const passThrough = async (middlewares: readonly AppMiddleware[], ctx: Context): Promise<void> => {
  const from = async (at: number): Promise<void> => {
    await middlewares[at]?.(ctx, () => from(at + 1));
  };
  return from(0);
};

const textOf = (body: unknown): string => {
  if (body === undefined || body === null) return '';
  if (Buffer.isBuffer(body)) return body.toString('utf8');
  return typeof body === 'string' ? body : JSON.stringify(body);
};

/** A request to a route. */
interface RouteCall extends Pick<ActionCall, 'query' | 'headers' | 'data' | 'service'> {
  readonly method: string;
  /** With the prefix: `/api/articles/k3v…`. */
  readonly path: string;
}

/** Calls routes on behalf of a request. */
export type RouteCaller = (outer: Outer) => Pick<ToolUser, 'call' | 'refused'>;

/**
 * Creates the caller of routes. Each call is a request of its own for the log, the project's middleware and
 * policies, the guard and the controllers. It has the credential and the budget of the outer request.
 */
export function routeCaller(deps: AppDeps, routes: readonly Route[]): RouteCaller {
  const { config, events } = deps;
  const app: App = new Koa({ proxy: config.server.proxy, maxIpsCount: config.server.proxyIps });
  const errorsAnswered = answerErrors(events.record);
  const chain: readonly AppMiddleware[] = [
    recordRequests(events.record),
    errorsAnswered,
    ...ownMiddlewares(deps, 'first'),
    ...ownMiddlewares(deps, 'beforeBody'),
    ...ownMiddlewares(deps, 'beforeRoutes'),
    ...missingForCode(deps),
    mountRoutes(deps, routes),
    ...ownMiddlewares(deps, 'afterRoutes'),
    unmatched(),
  ];
  const limited = (budget: Budget): Budget => ({
    ...budget,
    limits: {
      ...budget.limits,
      maxBytes: Math.min(budget.limits.maxBytes, config.server.mcpMaxBytes),
      ...(config.server.mcpMaxBytes < budget.limits.maxBytes && { bytesSetting: 'server.mcp.maxBytes' }),
    },
  });
  const run = async (outer: Outer, call: RouteCall, middlewares: readonly AppMiddleware[]) => {
    // Writes are not limited by the size of an answer: a completed write is not reported as failed.
    const budget = call.method === 'GET' ? limited(outer.budget) : outer.budget;
    const ctx = contextOf(app, { ...outer, budget }, call);
    await passThrough(middlewares, ctx);
    return answerOf(ctx);
  };
  return (outer) => ({
    call({ type, action, documentId = null, version = null, ...call }) {
      const route = routeOfAction(routes, type, action);
      if (!route) return null;
      const named: Readonly<Record<string, string | null>> = { documentId, version };
      const path = route.path.replace(/:(\w+)/g, (_, name) => encodeURIComponent(named[name] ?? ''));
      const method = route.method.toUpperCase();
      return run(outer, { ...call, method, path: config.rest.prefix + path }, chain);
    },
    refused: (error) =>
      run(outer, { method: 'POST', path: '/mcp', query: {} }, [errorsAnswered, () => Promise.reject(error)]),
  });
}

function contextOf(
  app: App,
  outer: Outer,
  { method, path, query, data, service, headers }: RouteCall,
): Context {
  const request = new IncomingMessage(outer.socket);
  const text = qs.stringify(query, { encodeValuesOnly: true, skipNulls: true });
  Object.assign(request, {
    method,
    url: text === '' ? path : `${path}?${text}`,
    headers: { ...passedHeaders(outer.headers), ...headers },
  });
  const ctx = app.createContext(request, new ServerResponse(request)) as unknown as Context;
  const { requestId, budget, session } = outer;
  ctx.exchange = {
    requestId,
    budget,
    query: paramsQuery(query, 'rest'),
    timings: [],
    ...(session && { session }),
    ...(service && { service }),
  } satisfies Exchange;
  ctx.request.body = data === undefined ? {} : { data };
  return ctx;
}

const answerOf = ({ status, body, response }: Context): RouteAnswer => {
  const code = response.get('X-Error-Code');
  return { status, text: textOf(body), code: code === '' ? null : code };
};
