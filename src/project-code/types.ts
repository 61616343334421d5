import type { Config } from '../config/types.js';
import type { RouteDescription } from '../describe/contract/types.js';
import type { Action, MiddlewareContext } from '../documents/middleware.js';
import type { Documents } from '../documents/types.js';
import type { ProjectLogger } from '../events/event-log.js';
import type { FileInput } from '../media/prepare-file.js';
import type { FileEntry } from '../media/types.js';
import type { Schema } from '../schema/types.js';
import type { Store } from '../store/client.js';

type Awaitable<T> = T | Promise<T>;

/** What the project's own code works with. `D` is the type of `documents`. */
export interface Mangrove<D = Documents> {
  /** The Document Service, with full access for any caller. */
  readonly documents: D;
  /** Stores a file. */
  upload(file: FileInput): Promise<FileEntry>;
  readonly config: Config;
  /** The server's log. */
  readonly logger: ProjectLogger;
  /** The driver's database, for collections of your own. Use `documents` to write entries. */
  readonly db: Store['db'];
  readonly schema: Schema;
  /** Answers with an error in Strapi's format. @param status 400 to 499 @throws ApiError always */
  refuse(status: number, message: string): never;
}

/** The caller of a request. `id` is the account's numeric id. */
export type RequestCaller =
  | { readonly kind: 'public' }
  | { readonly kind: 'user'; readonly id: number }
  | { readonly kind: 'token'; readonly name: string };

export type RequestTools<D = Documents> = Mangrove<D> & { readonly caller: RequestCaller };

/** A request and its answer: the part of Koa's context that is guaranteed. */
export interface RequestView {
  readonly method: string;
  readonly path: string;
  readonly url: string;
  readonly ip: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** The parsed query. Changing it, or assigning another, changes what is asked. */
  query: Record<string, unknown>;
  /** Its text; assigning it replaces the query. */
  querystring: string;
  /** The parsed body, from `beforeRoutes` on. */
  readonly request: { readonly body?: unknown };
  status: number;
  body: unknown;
  type: string;
  get(name: string): string;
  set(name: string, value: string): void;
  redirect(url: string): void;
}

export type RouteContext = RequestView & { readonly params: Readonly<Record<string, string>> };

/** A route of the project's own. These are matched before the built-in ones, in order. */
export interface OwnRoute<D = Documents> {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /**
   * Below the API prefix: `/articles/popular`, `/articles/:documentId/like`. The first segment cannot be a
   * parameter.
   */
  readonly path: string;
  /** The required action, such as `api::article.article.popular`; null: open to everyone. */
  readonly action: string | null;
  /** Its description in `GET /openapi.json`. */
  readonly describe?: RouteDescription;
  /** The returned value is the body. If nothing is returned: `ctx.body` if it was set, otherwise a 204. */
  handler(ctx: RouteContext, mangrove: RequestTools<D>): Awaitable<unknown>;
}

/** Checked after the caller's grants and before the controller; any result but true or undefined is a 403. */
export interface Policy<D = Documents> {
  /**
   * The routes: an action, `api::article.article.*`, `*`, or `GET /articles/:documentId` without the prefix.
   */
  readonly on: string | readonly string[];
  check(ctx: RouteContext, mangrove: RequestTools<D>): Awaitable<boolean | undefined>;
}

/** Wraps calls of the Document Service, from REST and from scripts. */
export interface DocumentHook<D = Documents> {
  /** Absent: every content type. */
  readonly uids?: readonly string[];
  /** Absent: every action. */
  readonly actions?: readonly Action[];
  run(context: MiddlewareContext, next: () => Promise<unknown>, mangrove: Mangrove<D>): Promise<unknown>;
}

/** A scheduled job, run once by all processes that share a database. */
export interface Job<D = Documents> {
  /** Five fields, or six with seconds first: `0 3 * * *`. */
  readonly cron: string;
  /** Such as `Europe/Berlin`; UTC if absent. */
  readonly timezone?: string;
  /**
   * An interrupted run is started again, so it must be safe to repeat. `signal` is aborted when the server
   * stops.
   */
  run(mangrove: Mangrove<D> & { readonly signal: AbortSignal }): Awaitable<unknown>;
}

/** The places where the project's own Koa middleware may run. */
export const PLACES = ['first', 'beforeRoutes', 'afterRoutes'] as const;
export type MiddlewarePlace = (typeof PLACES)[number];

/** A Koa middleware. */
export type ProjectMiddleware = (ctx: RequestView, next: () => Promise<unknown>) => Awaitable<unknown>;

export interface ProjectDefinition<D = Documents> {
  readonly routes?: readonly OwnRoute<D>[];
  readonly policies?: readonly Policy<D>[];
  readonly documents?: readonly DocumentHook<D>[];
  /** By name, which identifies the job in the database. */
  readonly jobs?: Readonly<Record<string, Job<D>>>;
  /**
   * `first`: every request, inside logging and error handling. `beforeRoutes`: after query and body are
   * parsed. `afterRoutes`: requests that no route matched.
   */
  readonly middlewares?: Readonly<Partial<Record<MiddlewarePlace, readonly ProjectMiddleware[]>>>;
  /** Runs in each process after the database is opened and before the server listens. */
  bootstrap?(mangrove: Mangrove<D>): Awaitable<unknown>;
}

/** A project without its own code. */
export const NO_DEFINITION: ProjectDefinition = {};

/** The project's own code, and what it works with. */
export interface OwnCode {
  readonly definition: ProjectDefinition;
  readonly tools: Mangrove;
}
