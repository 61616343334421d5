import type { AppEvent } from '../events/events.js';

/** A file of the project whose code Mangrove does not run. */
export interface CodeFile {
  /** Relative to the project, with `/`. */
  readonly file: string;
  readonly kind: CodeKind;
  /** What it would have done, as far as known; a sentence without a full stop. */
  readonly does: string;
}

export type CodeKind =
  | 'route'
  | 'controller'
  | 'service'
  | 'policy'
  | 'middleware'
  | 'lifecycles'
  | 'extension'
  | 'plugin'
  | 'bootstrap'
  | 'cron'
  | 'migration';

/** Why a route is closed. The operator can open it by ignoring one of its `names`. */
export interface Closing {
  /** What is closed. */
  readonly at: Closed;
  /** The name of a policy or middleware, and the file. */
  readonly names: readonly string[];
  readonly because: string;
  /** It is a policy, which one of Mangrove's on the same route can replace. */
  readonly policy?: true;
}

/** One action, all actions of a content type or plugin by prefix, every route, or one path. */
export type Closed =
  | { readonly action: string }
  | { readonly prefix: string }
  | { readonly everything: true }
  | { readonly method: string; readonly path: string };

/** A route as a file of the project declares it. */
export interface DeclaredRoute {
  readonly method: 'get' | 'post' | 'put' | 'delete';
  /** Below the API prefix. */
  readonly path: string;
  /** The action whose controller handles it, one of Mangrove's own. */
  readonly action: string;
  /** `auth: false`: no credential is required, and a given one is ignored. */
  readonly open: boolean;
  /** The action to be granted, if the file names another (`auth: { scope }`). */
  readonly scope: string | null;
}

/** What the project's code declares about its routes. */
export interface ProjectCode {
  readonly files: readonly CodeFile[];
  readonly closings: readonly Closing[];
  /**
   * The routes of each content type whose routes are declared in code, by uid; other types have their usual
   * ones.
   */
  readonly routes: ReadonlyMap<string, readonly DeclaredRoute[]>;
  /** Files that could not be read. */
  readonly warnings: readonly AppEvent[];
}

export const NO_CODE: ProjectCode = { files: [], closings: [], routes: new Map(), warnings: [] };
