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

/** What the project's own code works with. `D`: the type of `documents`. */
export interface Mangrove<D = Documents> {
  /** The Document Service. It may do everything, whoever asks. */
  readonly documents: D;
  /** Stores a file. */
  upload(file: FileInput): Promise<FileEntry>;
  readonly config: Config;
  /** The server's log. */
  readonly logger: ProjectLogger;
  /** The driver's database, for collections of one's own. Entries are written by `documents`. */
  readonly db: Store['db'];
  readonly schema: Schema;
  /** Answers with a refusal in Strapi's shape. @throws ApiError @param status 400 to 499 */
  refuse(status: number, message: string): never;
}

/** Who sent a request. `id` is the account's numeric id. */
export type RequestCaller =
  | { readonly kind: 'public' }
  | { readonly kind: 'user'; readonly id: number }
  | { readonly kind: 'token'; readonly name: string };

export type RequestTools<D = Documents> = Mangrove<D> & { readonly caller: RequestCaller };

/** A request and its answer: what of Koa's context is promised here. */
export interface RequestView {
  readonly method: string;
  readonly path: string;
  readonly url: string;
  readonly ip: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly query: Readonly<Record<string, string | string[] | undefined>>;
  /** The parsed body, where the places `beforeRoutes` and later are reached. */
  readonly request: { readonly body?: unknown };
  status: number;
  body: unknown;
  type: string;
  get(name: string): string;
  set(name: string, value: string): void;
  redirect(url: string): void;
}

export type RouteContext = RequestView & { readonly params: Readonly<Record<string, string>> };

/** A route of the project's own. They are matched before the built-in ones, in their order. */
export interface OwnRoute<D = Documents> {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Below the API prefix: `/articles/popular`, `/articles/:documentId/like`. Its first part is written out. */
  readonly path: string;
  /** The action that a role or token needs, `api::article.article.popular`; null: open to everyone. */
  readonly action: string | null;
  /** What `GET /openapi.json` says of it. */
  readonly describe?: RouteDescription;
  /** What it returns is the body; nothing: `ctx.body` as it was set, else 204. */
  handler(ctx: RouteContext, mangrove: RequestTools<D>): Awaitable<unknown>;
}

/** Asked after the caller's grants and before the controller; anything but true or undefined is a 403 (rules A.3). */
export interface Policy<D = Documents> {
  /** Routes: an action, `api::article.article.*`, `*`, or `GET /articles/:documentId` without the prefix. */
  readonly on: string | readonly string[];
  check(ctx: RouteContext, mangrove: RequestTools<D>): Awaitable<boolean | undefined>;
}

/** Wraps calls of the Document Service, by REST and by scripts. */
export interface DocumentHook<D = Documents> {
  /** Absent: every content type. */
  readonly uids?: readonly string[];
  /** Absent: every action. */
  readonly actions?: readonly Action[];
  run(context: MiddlewareContext, next: () => Promise<unknown>, mangrove: Mangrove<D>): Promise<unknown>;
}

/** Runs by the clock, once over all processes that serve one database. */
export interface Job<D = Documents> {
  /** Five fields, or six with seconds first: `0 3 * * *`. */
  readonly cron: string;
  /** `Europe/Berlin`; UTC if absent. */
  readonly timezone?: string;
  /**
   * A run that a crash broke off is begun again, so it must be safe to repeat. `signal` is aborted when the server stops.
   */
  run(mangrove: Mangrove<D> & { readonly signal: AbortSignal }): Awaitable<unknown>;
}

/** Where Koa middleware of the project's own may run. */
export const PLACES = ['first', 'beforeRoutes', 'afterRoutes'] as const;
export type MiddlewarePlace = (typeof PLACES)[number];

/** A Koa middleware. */
export type ProjectMiddleware = (ctx: RequestView, next: () => Promise<unknown>) => Awaitable<unknown>;

export interface ProjectDefinition<D = Documents> {
  readonly routes?: readonly OwnRoute<D>[];
  readonly policies?: readonly Policy<D>[];
  readonly documents?: readonly DocumentHook<D>[];
  /** By name; the name is what the database remembers a job by. */
  readonly jobs?: Readonly<Record<string, Job<D>>>;
  /**
   * `first`: every request, within the log and the error frame. `beforeRoutes`: query and body are read. `afterRoutes`: what no
   * route took.
   */
  readonly middlewares?: Readonly<Partial<Record<MiddlewarePlace, readonly ProjectMiddleware[]>>>;
  /** Runs in each process once the database is open and before it listens. */
  bootstrap?(mangrove: Mangrove<D>): Awaitable<unknown>;
}

/** A project without code of its own. */
export const NO_DEFINITION: ProjectDefinition = {};

/** The project's own code, and what it works with. */
export interface OwnCode {
  readonly definition: ProjectDefinition;
  readonly tools: Mangrove;
}
