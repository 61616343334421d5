/** Types for agent tools, which use the routes of the content API like any other client. */
import type { ContractParts } from '../describe/contract/types.js';
import type { ContentRequest, RequestService } from '../documents/request.js';
import type { DocumentsOptions } from '../documents/service.js';
import type { Documents } from '../documents/types.js';
import type { RawObject } from '../query/ast.js';
import type { Caller } from '../query/read-plan.js';
import type { ContentType } from '../schema/types.js';
import type { PlainObject } from '../values/plain-object.js';

/** A request to a route on behalf of the tool's user. */
export interface RouteCall {
  readonly method: string;
  /** With the prefix: `/api/articles/k3v…`. */
  readonly path: string;
  readonly query: RawObject;
  /** Besides those of the request on whose behalf the route is called. */
  readonly headers?: Readonly<Record<string, string>>;
  /** `data` of the body; undefined: no body. */
  readonly data?: unknown;
  /** Handles the request in place of the type's Document Service. */
  readonly service?: ServiceOf;
}

export type ServiceOf = (type: ContentType, request: ContentRequest) => Promise<RequestService>;

export interface RouteAnswer {
  readonly status: number;
  /** The body; empty if there is none. */
  readonly text: string;
  /** The code of an error. */
  readonly code: string | null;
}

/** Calls a route. Errors are returned as answers. */
type CallRoute = (call: RouteCall) => Promise<RouteAnswer>;

export interface McpParts extends DocumentsOptions {
  /** Built from the routes that `CallRoute` can reach. */
  readonly contract: ContractParts;
  readonly documents: Documents;
}

/** The user of the tools, and how routes are called for them. */
export interface ToolUser {
  readonly caller: Caller;
  readonly call: CallRoute;
  /** The answer of a route that failed with this error. */
  refused(error: unknown): Promise<RouteAnswer>;
}

/** The answer of a tool. */
export interface ToolAnswer {
  /** JSON. */
  readonly text: string;
  readonly isError: boolean;
}

export type Arguments = PlainObject;
