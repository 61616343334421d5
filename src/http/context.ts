import type { OutgoingHttpHeaders } from 'node:http';
import type Koa from 'koa';
import type { DefaultContext, DefaultState, Middleware, ParameterizedContext } from 'koa';
import type { Identity } from '../access/index.js';
import type { DescribedRoute } from '../describe/contract/types.js';
import type { WriteKey } from '../documents/idempotency.js';
import type { CacheValidator, ReadSession } from '../documents/read/reader.js';
import type { ContentRequest, RequestService, Withdrawal } from '../documents/request.js';
import type { Budget } from '../limits/budget.js';
import type { Query } from '../query/query.js';
import type { ContentType } from '../schema/types.js';
import type { AppDeps } from './deps.js';

declare module 'koa' {
  interface Request {
    /** The body as parsed by `parseBody`. */
    body?: unknown;
  }
}

/** What the server knows of a request and its answer. `ctx.state` belongs to the project's code. */
export interface Exchange {
  /** Returned as `X-Request-Id` and written to the log. */
  requestId: string;
  /** The limits of the request. */
  budget: Budget;
  /** The query; replaced by its translation for clients of older versions. */
  query: Query;
  /** The answer is a stream without an end, which has limits of its own. */
  isStream?: boolean;
  /** The caller; set by `guard` before a controller runs. */
  identity?: Identity;
  /** What the reads must not be older than, if the client asked for consistency. */
  session?: ReadSession;
  /** The project's code may look at the answer: a body of bytes is shown to it as objects. */
  isShown?: boolean;
  /** Replaces the Document Service for requests to a content type, such as in a dry run. */
  service?: (type: ContentType, request: ContentRequest) => Promise<RequestService>;
  /** Of a read of content, which may have an entity tag and rules for caches (see conditional/cached-reads.ts). */
  read?: {
    readonly action: string;
    /** Whether the client has the answer with an entity tag; null: it names none. */
    readonly hasTag: ((tag: string) => boolean) | null;
    validator: CacheValidator | null;
  };
  /** The `Idempotency-Key` of a change of content. */
  writeKey?: WriteKey;
  /** Of an update by which a client of an older version takes back what is published. */
  withdrawal?: Withdrawal;
  /** The headers that an error is sent with: those before what failed had begun to answer. */
  kept?: OutgoingHttpHeaders;
  /** Milliseconds of each named step, for `Server-Timing`. */
  timings: (readonly [name: string, ms: number])[];
}

/** What matching a route adds to a request. */
interface Routed {
  /** The decoded parameters of the path. */
  readonly params: Record<string, string>;
  /** The pattern of the path. */
  readonly _matchedRoute?: string | RegExp;
}

type InExchange = DefaultContext & { exchange: Exchange };

export type App = Koa<DefaultState, InExchange>;
export type AppContext = ParameterizedContext<DefaultState, InExchange>;
export type RequestContext = ParameterizedContext<DefaultState, InExchange & Routed>;
export type AppMiddleware = Middleware<DefaultState, InExchange>;
/** `deps` is passed with each request so that route tables are data. */
export type Controller = (ctx: RequestContext, identity: Identity, deps: AppDeps) => Promise<void> | void;

/** One row of a route table. `action` is the required grant; null opens the route to everyone. */
export interface Route extends DescribedRoute {
  readonly controller: Controller;
  /** Is around the controller, and is to be around code of a project that answers in its place. */
  readonly around?: (controller: Controller) => Controller;
}
