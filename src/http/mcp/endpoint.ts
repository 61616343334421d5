import type { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js';
import type { Identity } from '../../access/index.js';
import type { Config } from '../../config/types.js';
import { errors } from '../../errors.js';
import { fromSdk } from '../../mcp/sdk.js';
import { type NewServer, newServers } from '../../mcp/server.js';
import { packageVersion } from '../../values/package-version.js';
import type { RouteCaller } from '../call-routes.js';
import type { AppMiddleware } from '../context.js';
import type { AppDeps } from '../deps.js';
import { keepHeaders } from '../kept-headers.js';
import { whenAborted } from '../middleware/budget.js';
import { isForTools } from '../tools-path.js';
import { agentParts } from './parts.js';

type Context = Parameters<AppMiddleware>[0];

const HERE = /^https?:\/\/(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/i;

const originOf = (url: string | null): readonly string[] => {
  if (url === null || !URL.canParse(url)) return [];
  return [new URL(url).origin];
};

/**
 * Rejects requests from pages of other sites, as the protocol requires: a page whose host name resolves to
 * this server (DNS rebinding) could use its visitors' tools. Programs other than browsers send no origin.
 */
const originCheck = ({ server, middlewares }: Config): ((ctx: Context) => void) => {
  const listed = middlewares.cors?.origin.filter((origin) => origin !== '*') ?? [];
  const allowed = new Set([...listed, ...originOf(server.url)]);
  return (ctx) => {
    const origin = ctx.get('origin');
    if (origin !== '' && !HERE.test(origin) && !allowed.has(origin)) throw errors.originNotAllowed();
  };
};

const loadTransport = (): Promise<typeof WebStandardStreamableHTTPServerTransport> =>
  fromSdk(async () => {
    const module = await import('@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js');
    return module.WebStandardStreamableHTTPServerTransport;
  });

/** The answer to a batch, which the protocol removed in version 2025-06-18. */
const NO_BATCHES = {
  jsonrpc: '2.0',
  id: null,
  error: { code: -32600, message: 'Invalid Request: one message at a time' },
};

/**
 * `POST /mcp`: tools for agents (docs/mcp.md) over the protocol's streamable HTTP. Each request is
 * independent and answered with JSON, so that any of several processes can serve it.
 */
export const mcpEndpoint = (deps: AppDeps): AppMiddleware => {
  if (!deps.config.server.mcp) return (_, next) => next();
  const checkOrigin = originCheck(deps.config);
  let made: Tools | undefined;
  const tools = (): Tools => {
    if (!made) {
      const { parts, callRoutes } = agentParts(deps);
      made = { newServer: newServers(parts, packageVersion()), callRoutes };
    }
    return made;
  };
  return async (ctx, next) => {
    if (!isForTools(ctx.path)) return next();
    checkOrigin(ctx);
    ctx.vary('Authorization');
    ctx.set('Cache-Control', 'private, no-store');
    keepHeaders(ctx);
    if (ctx.method !== 'POST') {
      ctx.status = 405;
      ctx.set('Allow', 'POST');
      ctx.body = 'Method Not Allowed';
      return;
    }
    const identity = await deps.access.identify(ctx.get('authorization'));
    ctx.exchange.identity = identity;
    const message = ctx.request.body;
    if (Array.isArray(message)) {
      ctx.status = 400;
      ctx.body = NO_BATCHES;
      return;
    }
    await answer(ctx, tools(), identity);
  };
};

interface Tools {
  readonly newServer: NewServer;
  readonly callRoutes: RouteCaller;
}

async function answer(ctx: Context, { newServer, callRoutes }: Tools, identity: Identity): Promise<void> {
  const { budget, requestId, session } = ctx.exchange;
  const calls = callRoutes({ headers: ctx.headers, socket: ctx.req.socket, requestId, budget, session });
  const working: Promise<unknown>[] = [];
  const Transport = await loadTransport();
  const transport = new Transport({ enableJsonResponse: true });
  const server = await newServer((_, work) => {
    const done = work({ caller: identity, ...calls });
    working.push(done);
    return done;
  });
  await server.connect(transport);
  try {
    const request = new Request('http://localhost/mcp', { method: 'POST', headers: headersOf(ctx) });
    const handled = transport.handleRequest(request, { parsedBody: ctx.request.body });
    const response = await Promise.race([handled, whenAborted(budget.signal)]);
    const body = Buffer.from(await response.arrayBuffer());
    ctx.body = body.length === 0 ? null : body;
    if (body.length > 0) ctx.type = response.headers.get('content-type') ?? 'json';
    ctx.status = response.status;
  } finally {
    // Work for a caller who is gone is still running, and a write must complete.
    await Promise.allSettled(working);
    await server.close();
  }
}

/** The headers that the protocol uses. */
const ITS_HEADERS = ['accept', 'content-type', 'mcp-protocol-version', 'mcp-session-id', 'last-event-id'];

const headersOf = (ctx: Context): Record<string, string> =>
  Object.fromEntries(
    ITS_HEADERS.flatMap((name) => (ctx.get(name) === '' ? [] : [[name, ctx.get(name)] as const])),
  );
