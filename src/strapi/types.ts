import type { PathPattern } from '../values/path-pattern.js';

/** What a file of a Strapi project is for. */
export type CodeKind =
  | 'route'
  | 'controller'
  | 'service'
  | 'policy'
  | 'middleware'
  | 'lifecycles'
  | 'extension'
  | 'plugin'
  | 'index'
  | 'cron';

/** A file of a Strapi project's code. */
export interface CodeFile {
  /** Relative to the project, with `/`. */
  readonly file: string;
  readonly kind: CodeKind;
  /** Its name in Strapi's registries: `api::article.article`, `global::is-owner`, `plugin::users-permissions`. */
  readonly uid: string;
}

export type Values = Record<string, unknown>;
export type Callable = (...args: unknown[]) => unknown;

export const isCallable = (value: unknown): value is Callable => typeof value === 'function';

/** The part of Koa's context that Mangrove itself reads; the project's code has all of it. */
export interface CodeContext {
  readonly method: string;
  readonly path: string;
  readonly request: { body?: unknown };
  params: Record<string, string>;
  query: unknown;
  state: Values;
  status: number;
  body: unknown;
  readonly exchange?: { readonly budget?: { readonly signal: AbortSignal } };
  get(name: string): string;
}

export type Next = () => Promise<unknown>;
export type Handler = (ctx: CodeContext, next: Next) => unknown;

/** Why something of a project's code is closed. */
export interface Closing {
  readonly file: string;
  readonly because: string;
}

/** A route that the project's code declares or changes. */
export interface CodeRoute {
  readonly method: 'get' | 'post' | 'put' | 'patch' | 'delete';
  /** Below the API prefix, in the router's syntax. */
  readonly path: string;
  /** What is matched, if it is not every value of the path's parameters. */
  readonly pattern?: PathPattern;
  /** The grant that it requires; null: none. */
  readonly action: string | null;
  /** `open`: credentials are ignored (`auth: false`). */
  readonly access: 'open' | 'anyCredential' | 'granted';
  /** The built-in action that answers it if the project's controller is untouched, or that it calls. */
  readonly core: string | null;
  /** As the file declares it: `ctx.state.route`. */
  readonly declared: Values;
  /** The path is complete, without the API prefix. */
  readonly outsidePrefix: boolean;
  /** The file that declares it. */
  readonly file: string;
  /** It is not served; null: it is. */
  readonly closed: Closing | null;
  /** What runs. Made when the routes are mounted. @throws TypeError if a handler, policy or middleware does not exist */
  handler(): Answering;
}

/** How a route is answered. */
export interface Answering {
  /** Whether code may look at the answer before it is sent. */
  readonly looks: boolean;
  /** Asked for each request: whether any code runs; if not, the built-in controller alone answers. */
  isNeeded(): boolean;
  /**
   * @param core the built-in controller of the route's action
   * @param around called in place of the route's own handler, which it may run
   */
  run(ctx: CodeContext, core: Next, around: (handler: Next) => Promise<void>): Promise<void>;
}
