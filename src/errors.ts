/**
 * Every kind of error that Mangrove can answer with: status, name, message and details as in Strapi 5, each
 * with its code. Code throws `errors.someKind(code, …)`; only `http/middleware/errors.ts` turns it into a
 * response.
 */
import { type ErrorCode, isOwn } from './error-codes.js';
import { isSmall, shorten } from './print-value.js';

type ErrorName =
  | 'ApplicationError'
  | 'ValidationError'
  | 'PaginationError'
  | 'NotFoundError'
  | 'ForbiddenError'
  | 'PolicyError'
  | 'UnauthorizedError'
  | 'RateLimitError'
  | 'PreconditionFailedError'
  | 'UnprocessableEntityError'
  | 'NotAcceptableError'
  | 'PayloadTooLargeError'
  | 'NotImplementedError'
  | 'SyntaxError'
  | 'Error'
  | 'ServiceUnavailableError'
  | 'InternalServerError';

type ErrorDetails = Readonly<Record<string, unknown>>;

/**
 * Maximum characters of a message. It may contain a schema's own lists of values; what a caller sent is cut
 * shorter.
 */
const MAX_MESSAGE = 5000;

interface Refusal {
  readonly code: ErrorCode;
  readonly status: number;
  readonly name: ErrorName;
  readonly message: string;
  /**
   * Null: no `details` at all, as in the few answers of Strapi without them (body-parser errors, zone
   * component ids).
   */
  readonly details?: ErrorDetails | null | undefined;
  readonly faults?: readonly FieldError[];
  /** The details are those of the project's code, without Mangrove's code. */
  readonly asGiven?: boolean;
}

/** An error and the answer it becomes: `{ data: null, error: { status, name, message, details } }`. */
export class ApiError extends Error {
  override readonly name: ErrorName;
  /** Stable; sent in the header `X-Error-Code`. */
  readonly code: ErrorCode;
  readonly status: number;
  /** For Mangrove's own errors they contain the `code`; for Strapi's they are as in Strapi. */
  readonly details: ErrorDetails | undefined;
  /** Errors by field, even if the answer does not contain them. */
  readonly faults: readonly FieldError[];

  constructor({ code, status, name, message, details = {}, faults = [], asGiven = false }: Refusal) {
    super(shorten(message, MAX_MESSAGE));
    this.code = code;
    this.status = status;
    this.name = name;
    this.faults = faults;
    this.details = details === null ? undefined : isOwn(code) && !asGiven ? { ...details, code } : details;
  }

  /** As Strapi's errors, which a project's code may send. */
  toJSON(): Pick<ApiError, 'name' | 'message' | 'details'> {
    return { name: this.name, message: this.message, details: this.details };
  }
}

/** Creates the errors of one status and name. */
const kind =
  (status: number, name: ErrorName) =>
  (code: ErrorCode, message: string, details?: ErrorDetails | null): ApiError =>
    new ApiError({ code, status, name, message, details });

/**
 * The position of an invalid key. `path` is null for a root key in some validators and the key itself in
 * others.
 */
interface KeyPlace {
  readonly key: string;
  readonly path: string | null;
  readonly source?: 'query' | 'body';
  readonly param?: string;
}

/** One member of `details.errors[]`. */
export interface FieldError {
  readonly path: readonly string[];
  readonly message: string;
  readonly name: 'ValidationError';
  readonly value?: unknown;
}

export const fieldError = (path: readonly string[], message: string, value?: unknown): FieldError => ({
  path,
  message,
  name: 'ValidationError',
  ...(value !== undefined && { value }),
});

const NOT_UNIQUE = 'This attribute must be unique';

/** A value that another entry already has. */
export const notUnique = (path: readonly string[], value?: unknown): FieldError =>
  fieldError(path, NOT_UNIQUE, value);

export const isNotUnique = ({ message }: { readonly message?: unknown }): boolean => message === NOT_UNIQUE;

const validation = kind(400, 'ValidationError');

const keyMessage = (key: string, path: string | null): string =>
  path === null || path === '' || path === key ? `Invalid key ${key}` : `Invalid key ${key} at ${path}`;

/** The position with its names cut to the length of a message. */
const shortPlace = ({ key, path, ...at }: KeyPlace): KeyPlace => ({
  key: shorten(key),
  path: path === null ? null : shorten(path),
  ...at,
});

/** Maximum members of `details.errors`; the message counts all of them. */
const MAX_LISTED = 100;

/** Leaves out large values, which the caller knows. */
const listed = ({ value, path, ...error }: FieldError): FieldError => ({
  path: path.map((part) => shorten(part)),
  ...error,
  ...(value !== undefined && isSmall(value) ? { value } : {}),
});

const unauthorized = kind(401, 'UnauthorizedError');
const forbidden = kind(403, 'ForbiddenError');
const missing = kind(404, 'NotFoundError');
const late = kind(503, 'ServiceUnavailableError');

/** Error names for statuses that the project's own code chooses; any other is an `ApplicationError`. */
const NAMES: Readonly<Record<number, ErrorName>> = {
  401: 'UnauthorizedError',
  403: 'ForbiddenError',
  404: 'NotFoundError',
  413: 'PayloadTooLargeError',
  429: 'RateLimitError',
};

export const errors = {
  /** 400: well-formed but impossible. */
  application: kind(400, 'ApplicationError'),
  /** 400: invalid query or body. */
  validation,
  /** 400: page and offset style in one query, or the parameters of a page at its root. */
  pagination: kind(400, 'PaginationError'),
  /** 401 with its own message, such as `Token expired`. */
  unauthorized,
  /** 404 with its own message, such as `User not found`. */
  missing,
  /** 503 for an operation that took too long. */
  late,
  /** 413. */
  tooLarge: kind(413, 'PayloadTooLargeError'),
  /** 400 for a component id of another entry, and where Strapi throws a plain `Error`. */
  bare: (code: ErrorCode, message: string) => kind(400, 'Error')(code, message, null),
  notFound: () => missing('not-found', 'Not Found'),
  forbidden: () => forbidden('forbidden', 'Forbidden'),
  /** The route requires code of a Strapi project, which is not run. */
  codeNotRun: () => forbidden('code-not-run', 'Forbidden: the code of this route is not run'),
  /** A rule of the caller's role does not allow the write. */
  ruleRefused: (key: string) =>
    forbidden('rule-refused', `Forbidden: ${shorten(key)} may not be written`, {
      key: shorten(key),
      path: shorten(key),
      source: 'body',
    }),
  /** The same for an entry, without telling whether it exists. */
  entryRefused: () => forbidden('rule-refused', 'Forbidden: no rule allows this for the entry'),
  /** A request to `/mcp` from a page of another site, possibly through DNS rebinding. */
  originNotAllowed: () =>
    forbidden('origin-not-allowed', 'Forbidden: requests from this origin are not allowed'),
  /** A policy of the project rejected the request. */
  policyFailed: () => kind(403, 'PolicyError')('policy-failed', 'Policy Failed'),
  /** An error thrown by the project's own code, with its message. */
  ofProject: (status: number, message: string) =>
    kind(status, NAMES[status] ?? 'ApplicationError')('project-refusal', message),
  /** An error of Strapi's classes thrown by the project's own code, with its name and details. */
  ofStrapiCode: (status: number, name: string, message: string, details: ErrorDetails) =>
    new ApiError({
      code: 'project-refusal',
      status,
      name: name as ErrorName,
      message,
      asGiven: true,
      details,
    }),
  /** The code of a route uses a part of Strapi that Mangrove does not have. */
  strapiUnsupported: (message: string) => kind(501, 'NotImplementedError')('strapi-api-unsupported', message),
  /** The collection belongs to another program, and its schema file does not allow writes. */
  readOnly: (collection: string) =>
    forbidden('collection-read-only', `Forbidden: the collection ${collection} is read only`),
  credentialUnknown: () => unauthorized('credential-unknown', 'Missing or invalid credentials'),
  rateLimited: () =>
    kind(429, 'RateLimitError')('too-many-requests', 'Too many requests, please try again later.'),
  /** A read that cannot be kept up to date over a stream of events. */
  notLive: (because: string) =>
    kind(406, 'NotAcceptableError')('live-not-available', `There is no event stream of this: ${because}`),
  tooManyStreams: (limit: number) =>
    kind(429, 'RateLimitError')('too-many-streams', `A caller may have at most ${limit} open streams`, {
      setting: 'live.maxPerCaller',
      limit,
    }),
  streamsExhausted: (limit: number) =>
    late('streams-exhausted', `At most ${limit} streams may be open`, { setting: 'live.maxStreams', limit }),
  /** `Invalid key K` or `Invalid key K at PATH`, with the position in `details`. */
  invalidKey: (at: KeyPlace) => {
    const place = shortPlace(at);
    return validation('key-invalid', keyMessage(place.key, place.path), { ...place });
  },
  /** The message of a single error, or the number of errors. */
  fields: (list: readonly FieldError[]) =>
    new ApiError({
      code: 'fields-not-valid',
      status: 400,
      name: 'ValidationError',
      message: list.length === 1 && list[0] ? list[0].message : `${list.length} errors occurred`,
      details: { errors: list.slice(0, MAX_LISTED).map(listed) },
      faults: list,
    }),
  /** Strapi's answer for accounts that the Document Service rejects: only the message. */
  accountNotValid: ({ message, faults }: ApiError) =>
    new ApiError({ code: 'account-not-valid', status: 400, name: 'ApplicationError', message, faults }),
  /** No primary, no connection, or no free connection in time. */
  unavailable: (cause?: unknown) =>
    Object.assign(late('database-unavailable', 'The database is not available; please retry'), { cause }),
  /** Concurrent writes kept changing the document. */
  busy: () =>
    kind(409, 'ApplicationError')('write-conflict', 'The document was modified concurrently; please retry'),
  /** Another request with the same `Idempotency-Key` is being carried out. */
  keyInUse: () =>
    kind(409, 'ApplicationError')(
      'idempotency-key-in-use',
      'A request with this Idempotency-Key is still being processed; please retry',
    ),
  /** The same `Idempotency-Key` was sent with another query or body. */
  keyReused: () =>
    kind(422, 'UnprocessableEntityError')(
      'idempotency-key-reused',
      'This Idempotency-Key was used for another request',
    ),
  /** `If-Match` or `If-None-Match` does not hold for what is stored; `details` say what is. */
  preconditionFailed: (details: ErrorDetails | undefined) =>
    kind(412, 'PreconditionFailedError')('precondition-failed', 'Precondition Failed', details),
  /** Whether an error only says that other entries have values that must be unique. */
  isTaken: (error: unknown): boolean =>
    error instanceof ApiError && error.faults.length > 0 && error.faults.every(isNotUnique),
  missingData: () => validation('data-missing', 'Missing "data" payload in the request body'),
} as const;
