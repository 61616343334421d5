/**
 * The error codes, which programs should use instead of messages: messages may be reworded, and many are
 * Strapi's. The meaning of a code never changes; a removed error takes its code with it. docs/errors.md has a
 * row for each.
 */

/**
 * Where errors occur. The description of a route names the groups that apply to it, and single codes in
 * addition.
 */
type Place =
  /** The outer middleware, which also serves files. */
  | 'outer'
  /** The inner middleware, which serves routes. */
  | 'inner'
  /** Routes that require a grant. */
  | 'guarded'
  /** Routes that require code of a Strapi project. */
  | 'closed'
  | 'policies'
  /** The project's own code. */
  | 'project'
  | 'body'
  | 'query'
  /** Queries with `strictParams`. */
  | 'strict'
  /** Routes for a single document. */
  | 'one'
  | 'write'
  | 'delete'
  /** Writes of documents that have revisions. */
  | 'revised'
  /** Writes that may be sent with an `Idempotency-Key`. */
  | 'keyed'
  /** Content types with an adopted collection. */
  | 'adopted'
  | 'adoptedWrite'
  /** Content types that keep versions. */
  | 'history'
  /** Reads that may be asked for as a stream of events. */
  | 'live'
  /** Commands, the start and `/mcp`: these do not occur in routes. */
  | 'elsewhere';

interface Row {
  /** Whether the error is Mangrove's own. */
  readonly own: boolean;
  readonly met: readonly Place[];
  /** `4XX`: chosen by the project's own code. */
  readonly status: number | '4XX';
}

/**
 * An error that Strapi has too, with the same message and `details`. The code is only in the header
 * `X-Error-Code`.
 */
const strapi = (met: readonly Place[] = [], status = 400): Row => ({ own: false, met, status });

/** Mangrove's own error, which also has its code in `details`. */
const own = (met: readonly Place[] = [], status: Row['status'] = 400): Row => ({ own: true, met, status });

const CODES = {
  'account-blocked': strapi(),
  'account-not-valid': strapi(),
  'account-taken': strapi(),
  'authorization-header-missing': strapi(),
  'body-malformed': strapi(['body']),
  'body-too-large': strapi(['body'], 413),
  'change-password-unauthenticated': strapi(),
  'component-not-found': strapi([], 404),
  'component-not-of-entry': strapi(['write']),
  'confirmation-email-failed': strapi(),
  'confirmation-token-invalid': strapi(),
  'content-type-kind-invalid': strapi(),
  'content-type-not-found': strapi([], 404),
  'content-type-unknown': strapi(),
  'credential-unknown': strapi(['guarded'], 401),
  'credentials-invalid': strapi(['guarded'], 401),
  'current-password-incorrect': strapi(),
  'data-missing': strapi(['write']),
  'date-malformed': strapi(['query']),
  'date-nonexistent': strapi(['query']),
  'datetime-malformed': strapi(['query']),
  'default-role-missing': strapi(),
  'document-exists': strapi(['write']),
  'draft-not-deletable': strapi(['delete']),
  'email-not-confirmed': strapi(),
  'email-taken': strapi(),
  'fields-invalid': strapi(['query']),
  'fields-not-valid': strapi(['write']),
  'file-name-invalid': strapi(),
  'file-not-found': strapi([], 404),
  'file-too-large': strapi([], 413),
  'file-type-not-allowed': strapi(),
  'file-type-unverifiable': strapi(),
  'files-empty': strapi(),
  'filters-invalid': strapi(['query']),
  'filters-not-an-object': strapi(['query']),
  forbidden: strapi(['guarded', 'query'], 403),
  'fragments-not-permitted': strapi(['query']),
  'has-published-version-invalid': strapi(['query']),
  'image-invalid': strapi(),
  'internal-error': strapi(['outer'], 500),
  'key-invalid': strapi(['query']),
  'locale-missing': strapi(),
  'locale-not-configured': strapi(),
  'locale-not-a-string': strapi(['query']),
  'locale-taken': strapi(),
  'locale-unknown': strapi(),
  'lookup-not-allowed': strapi(['query']),
  'mime-type-not-allowed': strapi(),
  'multipart-file-too-large': strapi([], 413),
  'not-found': strapi(['one'], 404),
  'pagination-at-root': strapi(['query']),
  'pagination-mixed': strapi(['query']),
  'pagination-not-an-integer': strapi(['query']),
  'password-null': strapi(),
  'password-unchanged': strapi(),
  'policy-failed': strapi(['policies'], 403),
  'populate-fragment-expected': strapi(['query']),
  'populate-invalid': strapi(['query']),
  'populate-nested-invalid': strapi(['query']),
  'populate-too-many': strapi(['query']),
  'provider-disabled': strapi(),
  'public-role-permanent': strapi(),
  'publication-filter-invalid': strapi(['query']),
  'refresh-token-invalid': strapi([], 401),
  'registration-disabled': strapi(),
  'relation-anchor-missing': strapi(['write']),
  'relation-connected-twice': strapi(['write']),
  'relation-positions-circular': strapi(['write']),
  'replacement-not-one-file': strapi(),
  'request-malformed': strapi(['outer']),
  'reset-code-incorrect': strapi(),
  'role-body-empty': strapi(),
  'role-not-found': strapi([], 404),
  'sign-in-failed': strapi(),
  'sign-in-required': strapi([], 401),
  'sort-field-empty': strapi(['query']),
  'sort-invalid': strapi(['query']),
  'sort-order-invalid': strapi(['query']),
  'sort-query-invalid': strapi(['query']),
  'sort-type-invalid': strapi(['query']),
  'strict-locale-invalid': strapi(['query', 'strict']),
  'strict-locale-malformed': strapi(['strict']),
  'strict-locale-not-a-string': strapi(['strict']),
  'strict-locale-too-long': strapi(['strict']),
  'strict-pagination-mixed': strapi(['strict']),
  'strict-pagination-not-an-integer': strapi(['strict']),
  'strict-status-invalid': strapi(['strict']),
  'strict-with-count-invalid': strapi(['strict']),
  'target-not-found': strapi(['write']),
  'time-malformed': strapi(['query']),
  'time-not-a-string': strapi(['query']),
  'token-expired': strapi(['guarded'], 401),
  'too-many-requests': strapi(['inner'], 429),
  'unknown-registration-fields': strapi(),
  'upload-target-not-found': strapi([], 404),
  'user-not-found': strapi([], 404),
  'username-taken': strapi(),
  'with-count-invalid': strapi(['query']),

  'action-unknown': own(['elsewhere']),
  'answer-too-large': own(['query']),
  'answer-too-many-entries': own(['query']),
  'batch-action-unavailable': own(),
  'batch-malformed': own(),
  'batch-reference-failed': own(),
  'batch-reference-invalid': own(),
  'batch-too-long': own(),
  'body-not-decodable': own(['body']),
  'body-too-deep': own(['body']),
  'code-not-run': own(['closed'], 403),
  'collection-read-only': own(['adoptedWrite'], 403),
  'command-refused': own(['elsewhere']),
  'component-sort-too-deep': own(['query']),
  'consistency-invalid': own(['outer']),
  'content-in-the-way': own(['elsewhere']),
  'database-name-invalid': own(['elsewhere']),
  'database-not-agreed': own(['elsewhere']),
  'database-unavailable': own(['inner'], 503),
  'document-ambiguous': own(['adopted']),
  'document-id-not-a-string': own(['adoptedWrite']),
  'document-key-invalid': own(['adoptedWrite']),
  'drafts-not-enabled': own(['elsewhere']),
  'email-not-sent': own(),
  'entry-too-large': own(['write'], 413),
  'file-info-not-json': own(),
  'file-info-value-invalid': own(),
  'file-type-not-in-attribute': own(['write']),
  'filter-list-of-objects': own(['query']),
  'filter-value-invalid': own(['query']),
  'folder-not-empty': own(['elsewhere']),
  'folder-not-usable': own(['elsewhere']),
  'group-not-an-array': own(['query']),
  'history-not-kept': own(['elsewhere']),
  'idempotency-key-in-use': own(['keyed'], 409),
  'idempotency-key-malformed': own(['keyed']),
  'idempotency-key-reused': own(['keyed'], 422),
  'idempotency-key-unsupported': own(['guarded', 'keyed']),
  'image-too-large': own(),
  'json-search-in-items': own(['adopted']),
  'json-search-too-broad': own(['adopted']),
  'list-too-long': own(['query']),
  'live-not-available': own(['project'], 406),
  'locale-code-invalid': own(['query']),
  'moment-invalid': own(['history']),
  'multipart-fields-too-long': own([], 413),
  'multipart-malformed': own(),
  'multipart-name-too-long': own([], 413),
  'multipart-too-many-parts': own([], 413),
  'origin-not-allowed': own(['elsewhere']),
  'populate-too-deep': own(['query']),
  'populated-entry-too-large': own(['query']),
  'position-lost': own(['elsewhere']),
  'precondition-failed': own(['revised'], 412),
  'precondition-malformed': own(['query', 'write', 'delete']),
  'precondition-unsupported': own(['guarded', 'adoptedWrite']),
  'project-refusal': own(['project'], '4XX'),
  'query-out-of-memory': own(['query']),
  'query-timed-out': own(['query']),
  'sharded-collection-not-joined': own(['query']),
  'query-too-large': own(['inner']),
  'relation-not-stored-here': own(['adoptedWrite']),
  'request-timed-out': own(['inner'], 503),
  'role-configured': own(),
  'role-exists': own(),
  'role-permanent': own(),
  'rule-refused': own(['write', 'delete'], 403),
  'schedule-refused': own(['elsewhere']),
  'schedule-time-invalid': own(['query']),
  'schedule-unsupported': own(),
  'scheduled-not-read': own(['query']),
  'scheduled-too-many': own(['query']),
  'search-not-a-string': own(['query']),
  'sort-too-deep': own(['query']),
  'source-not-supported': own(['elsewhere']),
  'stored-value-unreadable': own(['adopted']),
  'streams-exhausted': own(['live'], 503),
  'strapi-api-unsupported': own(['project'], 501),
  'system-database-invalid': own(['elsewhere']),
  'token-exists': own(['elsewhere']),
  'token-not-found': own(['elsewhere']),
  'token-options-conflict': own(['elsewhere']),
  'too-many-joins': own(['query']),
  'too-many-passwords': own(['write']),
  'too-many-streams': own(['live'], 429),
  'transaction-in-place': own(),
  'transaction-over': own(['elsewhere']),
  'transaction-read': own(['elsewhere']),
  'transaction-rolled-back': own(),
  'transaction-rule': own(),
  'transaction-too-large': own([], 413),
  'upload-entry-missing': own(),
  'upload-field-invalid': own(),
  'upload-ref-id-invalid': own(),
  'upload-ref-invalid': own(),
  'upsert-ambiguous': own(),
  'upsert-not-possible': own(),
  'value-not-64-bit': own(),
  'value-not-a-number': own(),
  'value-not-json': own(),
  'value-not-storable': own(['query']),
  'versions-not-populated': own(),
  'write-concern-unacknowledged': own(['elsewhere']),
  'write-conflict': own(['write', 'delete'], 409),
  'write-refused': own(['adoptedWrite']),
} as const;

export type ErrorCode = keyof typeof CODES;
export type RefusalGroup = Exclude<Place, 'elsewhere'>;

/** Each code, and where it occurs. */
export const ERROR_CODES: Readonly<Record<ErrorCode, Row>> = CODES;

/**
 * Whether Strapi does not have this error: it answers with a 500, ignores what it cannot use, or accepts it.
 */
export const isOwn = (code: ErrorCode): boolean => ERROR_CODES[code].own;
