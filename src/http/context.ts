import type { Middleware, ParameterizedContext } from 'koa';
import type { Identity } from '../access/index.js';
import type { DescribedRoute } from '../describe/contract/types.js';
import type { ReadSession } from '../documents/read/reader.js';
import type { ContentRequest, RequestService } from '../documents/request.js';
import type { Budget } from '../limits/budget.js';
import type { Query } from '../query/query.js';
import type { ContentType } from '../schema/types.js';
import type { AppDeps } from './deps.js';

declare module 'koa' {
  interface Request {
    /** What `parseBody` read. */
    body?: unknown;
  }
}

/** What one request carries from middleware to middleware. */
export interface RequestState {
  /** Sent back as `X-Request-Id` and written into the log line. */
  requestId: string;
  /** What it may cost. */
  budget: Budget;
  /** What the query string asks; a client of an older version is understood by another. */
  query: Query;
  /** Who asks; set by `guard` before a controller runs. */
  identity?: Identity;
  /** What the reads of the request must see, where its client asked for consistency. */
  session?: ReadSession;
  /** Handles a request to a content type in place of its Document Service: a dry run, for instance. */
  service?: (type: ContentType, request: ContentRequest) => Promise<RequestService>;
  /** Milliseconds of each named step, for `Server-Timing`. */
  timings: (readonly [name: string, ms: number])[];
}

/** What a route adds to a request that it takes. */
export interface Routed {
  /** What the path holds in place of its parameters, decoded. */
  readonly params: Record<string, string>;
  /** The pattern of the path. */
  readonly _matchedRoute: string;
}

export type RequestContext = ParameterizedContext<RequestState, Routed>;
export type AppMiddleware = Middleware<RequestState>;
/** `deps`: what it works with, passed with each request, so that route tables are data. */
export type Controller = (ctx: RequestContext, identity: Identity, deps: AppDeps) => Promise<void> | void;

/** One line of a route table. `action` is the grant it needs; null: open to everyone (deny by default otherwise). */
export interface Route extends Omit<DescribedRoute, 'beside'> {
  readonly controller: Controller;
}
