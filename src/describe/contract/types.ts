/**
 * The contract of a server as data: what can be asked of it, and what it answers. OpenAPI (`describe/openapi`) follows from it, and so
 * may clients and tools for agents.
 */
import type { Config } from '../../config/types.js';
import type { ErrorCode } from '../../error-codes.js';
import type { Caller } from '../../query/read-plan.js';
import type { Schema } from '../../schema/types.js';

/** JSON Schema 2020-12. */
export type JsonSchema = Readonly<Record<string, unknown>>;
export type Schemas = Readonly<Record<string, JsonSchema>>;

export type ContentAction = 'find' | 'findOne' | 'create' | 'update' | 'delete';

/** What a route does, whatever its address is: a project's code may give it another. */
export type RouteOperation =
  | { readonly kind: 'content'; readonly uid: string; readonly action: ContentAction }
  /** A row of `built-in/`, such as `POST /auth/local`. */
  | { readonly kind: 'builtIn'; readonly name: string }
  | { readonly kind: 'own'; readonly described: RouteDescription }
  /** Clients of an older Strapi ask it, in their own forms. */
  | { readonly kind: 'compat' };

/** What a route of the project's own takes and answers, in its own words; nothing is checked by it. */
export interface RouteDescription {
  readonly summary?: string;
  readonly description?: string;
  /** Query parameters by name, each a JSON Schema. */
  readonly query?: Schemas;
  /** JSON Schema of the body. */
  readonly body?: JsonSchema;
  /** JSON Schema of the answer with status 200. */
  readonly answer?: JsonSchema;
}

/** A line of the route table, as far as it is described. */
export interface DescribedRoute {
  readonly method: 'get' | 'post' | 'put' | 'patch' | 'delete';
  /** Below the prefix, `/restaurants/:documentId`. */
  readonly path: string;
  /** Not below the prefix: its path is whole. */
  readonly beside?: true;
  /** Null: open to everyone. */
  readonly action: string | null;
  /** Its controller only refuses, so grants are not checked. */
  readonly closed?: true;
  readonly operation?: RouteOperation;
}

export interface ContractParts {
  readonly config: Config;
  readonly schema: Schema;
  readonly routes: readonly DescribedRoute[];
  /** The project has code of its own, which may refuse requests. */
  readonly hasOwnCode: boolean;
}

/** Which of the forms of one contract is described; each is the truth for requests of its kind. */
export interface Form {
  /** Who asks; `grants` null: everything is described. */
  readonly caller: Caller;
  /** Also private attributes that can be written: for those who have the schema files anyway. */
  readonly privateInput: boolean;
  /** Answers to requests with `Strapi-Response-Format: v4`. */
  readonly v4: boolean;
  /** `populate[…][count]=true`, which puts `{ count }` in the place of entries. */
  readonly counts: boolean;
  /** Writes with `status=draft`, to which only types, enumerations and maxima apply. */
  readonly drafts: boolean;
}

/** Everything, in the form of an ordinary request. */
export const WHOLE: Form = {
  caller: { grants: null },
  privateInput: true,
  v4: false,
  counts: false,
  drafts: false,
};

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required?: boolean;
  readonly deprecated?: boolean;
  readonly description?: string;
  /**
   * `deepObject`: nested by brackets, `filters[title][$eq]=x`, as the library qs writes it. `members`: an object whose members are
   * written so, and hold no others.
   */
  readonly style?: 'deepObject' | 'members';
  readonly schema: JsonSchema;
}

export interface Body {
  readonly required: boolean;
  /** By media type. */
  readonly content: Schemas;
}

export interface Answer {
  readonly description: string;
  /** By media type; absent: no body. */
  readonly content?: Schemas;
}

/** Which credential a route may be sent with. */
export type Credential = 'apiToken' | 'userToken' | 'refreshCookie';

export interface Operation {
  /** Unique: `listArticle`. */
  readonly id: string;
  readonly method: DescribedRoute['method'];
  /** With the prefix, `/api/articles/{documentId}`. */
  readonly path: string;
  /** The grant that it needs; null: none. */
  readonly action: string | null;
  readonly tag: string;
  readonly summary: string;
  readonly description?: string;
  /** Content type that it reads or writes. */
  readonly uid?: string;
  /** What it does to it. */
  readonly does?: ContentAction;
  readonly parameters: readonly Parameter[];
  readonly body?: Body;
  /** Successes by status. */
  readonly answers: Readonly<Record<number, Answer>>;
  /** Codes of refusals by status; `4XX` where the project's own code chooses it. */
  readonly refusals: Readonly<Record<string, readonly ErrorCode[]>>;
  readonly credentials: readonly Credential[];
  /** Without a credential it is asked as the public role. */
  readonly anonymous: boolean;
}

export interface Contract {
  /** Changes when the content types do. */
  readonly version: string;
  /** Referred to as `#/components/schemas/<name>`. */
  readonly schemas: Schemas;
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly operations: readonly Operation[];
}
