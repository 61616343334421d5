/**
 * Every refusal that Mangrove can answer, in one table: status, name, message and details as Strapi 5 gives them (rules A.3).
 * Code throws `errors.someCase(…)`; only `http/middleware/errors.ts` turns it into a response. A row added here is
 * documented in docs/errors.md.
 */
import { isSmall, shorten } from './print-value.js';

export type ErrorName =
  | 'ApplicationError'
  | 'ValidationError'
  | 'PaginationError'
  | 'NotFoundError'
  | 'ForbiddenError'
  | 'PolicyError'
  | 'UnauthorizedError'
  | 'RateLimitError'
  | 'PayloadTooLargeError'
  | 'NotImplementedError'
  | 'SyntaxError'
  | 'Error'
  | 'InternalServerError';

export type ErrorDetails = Readonly<Record<string, unknown>>;

/** Characters of a message. A schema's own lists of values may stand in it; what a caller sent is printed shorter. */
const MAX_MESSAGE = 5000;

/** A refusal with the answer it becomes: `{ data: null, error: { status, name, message, details } }`. */
export class ApiError extends Error {
  override readonly name: ErrorName;
  readonly status: number;
  /** Absent in the few answers where Strapi sends no `details` key (body-parser errors, zone component ids). */
  readonly details: ErrorDetails | undefined;

  /** `details` null: none at all. */
  constructor(status: number, name: ErrorName, message: string, details: ErrorDetails | null = {}) {
    super(shorten(message, MAX_MESSAGE));
    this.status = status;
    this.name = name;
    this.details = details ?? undefined;
  }
}

/** Where a refused key stood (rules A.7). `path` is null for a root key in some validators and the key itself in others. */
export interface KeyPlace {
  readonly key: string;
  readonly path: string | null;
  readonly source?: 'query' | 'body';
  readonly param?: string;
}

/** One member of `details.errors[]` (rules E.2). */
export interface FieldError {
  readonly path: readonly string[];
  readonly message: string;
  readonly name: 'ValidationError';
  readonly value?: unknown;
}

const validation = (message: string, details?: ErrorDetails): ApiError =>
  new ApiError(400, 'ValidationError', message, details);

const keyMessage = (key: string, path: string | null): string =>
  path === null || path === '' || path === key ? `Invalid key ${key}` : `Invalid key ${key} at ${path}`;

/** A place whose names are no longer than a message may be. */
const shortPlace = ({ key, path, ...at }: KeyPlace): KeyPlace => ({
  key: shorten(key),
  path: path === null ? null : shorten(path),
  ...at,
});

/** Members of `details.errors`; the message counts all of them. */
const MAX_LISTED = 100;

/** Without the value where that is large: the caller has it. */
const listed = ({ value, path, ...error }: FieldError): FieldError => ({
  path: path.map((part) => shorten(part)),
  ...error,
  ...(value !== undefined && isSmall(value) ? { value } : {}),
});

export const errors = {
  notFound: () => new ApiError(404, 'NotFoundError', 'Not Found'),
  /** A 404 with words of its own, `User not found`. */
  missing: (message: string) => new ApiError(404, 'NotFoundError', message),
  /** The route has code of the project that Mangrove does not run. */
  codeNotRun: () =>
    new ApiError(403, 'ForbiddenError', 'Forbidden: the code of this route is not run', {
      code: 'CODE_NOT_RUN',
    }),
  forbidden: () => new ApiError(403, 'ForbiddenError', 'Forbidden'),
  unauthorized: (message = 'Missing or invalid credentials') =>
    new ApiError(401, 'UnauthorizedError', message),
  rateLimited: () => new ApiError(429, 'RateLimitError', 'Too many requests, please try again later.'),
  tooLarge: (message = 'Entity too large', details?: ErrorDetails) =>
    new ApiError(413, 'PayloadTooLargeError', message, details),
  application: (message: string, details?: ErrorDetails) =>
    new ApiError(400, 'ApplicationError', message, details),
  validation,
  /** rules A.7: `Invalid key K` or `Invalid key K at PATH`, with the place in `details`. */
  invalidKey: (at: KeyPlace) => {
    const place = shortPlace(at);
    return validation(keyMessage(place.key, place.path), { ...place });
  },
  /** rules A.11. */
  pagination: (message: string) => new ApiError(400, 'PaginationError', message),
  /** rules E.2: one error shows its own message, several show their number. */
  fields: (list: readonly FieldError[]) =>
    validation(list.length === 1 && list[0] ? list[0].message : `${list.length} errors occurred`, {
      errors: list.slice(0, MAX_LISTED).map(listed),
    }),
  /** Writes of others kept coming in between. */
  busy: () => new ApiError(409, 'ApplicationError', 'The document is being changed by others, try again'),
  missingData: () => validation('Missing "data" payload in the request body'),
} as const;
