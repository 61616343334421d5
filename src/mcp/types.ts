/** Types for agent tools, which use the routes of the content API like any other client. */
import type { ContentAction, ContractParts } from '../describe/contract/types.js';
import type { ContentRequest, RequestService } from '../documents/request.js';
import type { DocumentsOptions } from '../documents/service.js';
import type { Documents } from '../documents/types.js';
import type { RawObject } from '../query/ast.js';
import type { Caller } from '../query/read-plan.js';
import type { ContentType } from '../schema/types.js';
import type { PlainObject } from '../values/plain-object.js';

/** An action on content, to be called by its route on behalf of the tool's user. */
export interface ActionCall {
  readonly type: ContentType;
  readonly action: ContentAction;
  readonly documentId?: string | null;
  /** The name of a version. */
  readonly version?: string | null;
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

/** Calls the route of an action; errors are returned as answers. Null if there is no route. */
type CallAction = (call: ActionCall) => Promise<RouteAnswer> | null;

export interface McpParts extends DocumentsOptions {
  /** Built from the routes that `CallAction` can reach. */
  readonly contract: ContractParts;
  readonly documents: Documents;
  /** Whether an action has a route. */
  serves(type: ContentType, action: ContentAction): boolean;
}

/** The user of the tools, and how routes are called for them. */
export interface ToolUser {
  readonly caller: Caller;
  readonly call: CallAction;
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
