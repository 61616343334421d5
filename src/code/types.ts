import type { AppEvent } from '../events/events.js';

/** A file of the project whose code Mangrove does not run. */
export interface CodeFile {
  /** Relative to the project, with `/`. */
  readonly file: string;
  readonly kind: CodeKind;
  /** What it would have done, as far as reading tells; a sentence without a full stop. */
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

/** Why a route is closed. The operator opens it again by ignoring one of its `names`. */
export interface Closing {
  /** What is closed. */
  readonly at: Closed;
  /** A policy's or middleware's name, and the file. */
  readonly names: readonly string[];
  readonly because: string;
  /** A policy that is not asked: one of Mangrove's for the same route takes its place. */
  readonly policy?: true;
}

/** One action; every action of a content type or plugin by its prefix; every route; or one address. */
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
  /** The action whose controller answers: one of Mangrove's own. */
  readonly action: string;
  /** `auth: false`: no credential is asked for, and none is looked at. */
  readonly open: boolean;
  /** The action that a role needs, where the file names another (`auth: { scope }`). */
  readonly scope: string | null;
}

/** What the project's code says of its routes. */
export interface ProjectCode {
  readonly files: readonly CodeFile[];
  readonly closings: readonly Closing[];
  /** The routes of each content type that the code declares routes for, by uid; a type that is not here has its usual ones. */
  readonly routes: ReadonlyMap<string, readonly DeclaredRoute[]>;
  /** What could not be read. */
  readonly warnings: readonly AppEvent[];
}

export const NO_CODE: ProjectCode = { files: [], closings: [], routes: new Map(), warnings: [] };
