/** What tools for agents are made of: routes of the content API, asked as any other client asks them. */
import type { ContractParts } from '../describe/contract/types.js';
import type { ContentRequest, RequestService } from '../documents/request.js';
import type { DocumentsOptions } from '../documents/service.js';
import type { Documents } from '../documents/types.js';
import type { RawObject } from '../query/ast.js';
import type { Caller } from '../query/read-plan.js';
import type { ContentType } from '../schema/types.js';
import type { PlainObject } from '../values/plain-object.js';

/** A request to a route, in the name of whoever uses the tool. */
export interface RouteCall {
  readonly method: string;
  /** With the prefix, `/api/articles/k3v…`. */
  readonly path: string;
  readonly query: RawObject;
  /** `data` of the body; undefined: there is no body. */
  readonly data?: unknown;
  /** What the request is put to in the place of the type's Document Service. */
  readonly service?: ServiceOf;
}

export type ServiceOf = (type: ContentType, request: ContentRequest) => Promise<RequestService>;

export interface RouteAnswer {
  readonly status: number;
  /** The body; empty where there is none. */
  readonly text: string;
  /** Of a refusal. */
  readonly code: string | null;
}

/** Asks a route. A refusal is an answer. */
type CallRoute = (call: RouteCall) => Promise<RouteAnswer>;

export interface McpParts extends DocumentsOptions {
  /** Made of the routes that `CallRoute` reaches. */
  readonly contract: ContractParts;
  readonly documents: Documents;
}

/** Who uses the tools, and how they ask for it. */
export interface ToolUser {
  readonly caller: Caller;
  readonly call: CallRoute;
  /** What a route would answer that failed with this error. */
  refused(error: unknown): Promise<RouteAnswer>;
}

/** What a tool says. */
export interface ToolAnswer {
  /** JSON. */
  readonly text: string;
  readonly isError: boolean;
}

export type Arguments = PlainObject;
