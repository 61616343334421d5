/** Which refusals a route may answer with, by their codes (docs/errors.md). */
import { ERROR_CODES, type ErrorCode } from '../../error-codes.js';

/** Those of commands, of the start and of `/mcp`, which no route meets. */
const ELSEWHERE: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'action-unknown',
  'command-refused',
  'content-in-the-way',
  'source-not-supported',
  'database-name-invalid',
  'database-not-agreed',
  'drafts-not-enabled',
  'origin-not-allowed',
  'folder-not-empty',
  'folder-not-usable',
  'position-lost',
  'system-database-invalid',
  'token-exists',
  'token-not-found',
  'token-options-conflict',
  'write-concern-unacknowledged',
]);

/** Every code that an answer may have. */
export const HTTP_CODES: readonly ErrorCode[] = ERROR_CODES.filter((code) => !ELSEWHERE.has(code));

/** The status of those that are not a 400. `4XX`: as the project's own code says. */
const STATUS: Readonly<Partial<Record<ErrorCode, number | '4XX'>>> = {
  'credential-unknown': 401,
  'credentials-invalid': 401,
  'refresh-token-invalid': 401,
  'sign-in-required': 401,
  'token-expired': 401,
  'code-not-run': 403,
  'collection-read-only': 403,
  forbidden: 403,
  'policy-failed': 403,
  'component-not-found': 404,
  'content-type-not-found': 404,
  'file-not-found': 404,
  'not-found': 404,
  'role-not-found': 404,
  'upload-target-not-found': 404,
  'user-not-found': 404,
  'write-conflict': 409,
  'body-too-large': 413,
  'entry-too-large': 413,
  'file-too-large': 413,
  'multipart-fields-too-long': 413,
  'multipart-file-too-large': 413,
  'multipart-name-too-long': 413,
  'multipart-too-many-parts': 413,
  'too-many-requests': 429,
  'internal-error': 500,
  'database-unavailable': 503,
  'request-timed-out': 503,
  'project-refusal': '4XX',
};

/** Groups of refusals that come together. */
const GROUPS = {
  /** Of the first part of the frame, which files are served in. */
  outer: ['request-malformed', 'consistency-invalid', 'internal-error'],
  /** Of the rest of it, which routes are served in. */
  inner: ['query-too-large', 'too-many-requests', 'database-unavailable', 'request-timed-out'],
  /** Of a route that needs a grant. */
  guarded: ['credential-unknown', 'credentials-invalid', 'token-expired', 'forbidden'],
  closed: ['code-not-run'],
  policies: ['policy-failed'],
  project: ['project-refusal'],
  body: ['body-malformed', 'body-too-large', 'body-not-decodable', 'body-too-deep'],
  query: [
    'answer-too-large',
    'answer-too-many-entries',
    'component-sort-too-deep',
    'date-malformed',
    'date-nonexistent',
    'datetime-malformed',
    'fields-invalid',
    'filter-value-invalid',
    'filters-invalid',
    'filters-not-an-object',
    'forbidden',
    'fragments-not-permitted',
    'group-not-an-array',
    'has-published-version-invalid',
    'key-invalid',
    'list-too-long',
    'locale-code-invalid',
    'locale-not-a-string',
    'lookup-not-allowed',
    'pagination-at-root',
    'pagination-mixed',
    'pagination-not-an-integer',
    'populate-fragment-expected',
    'populate-invalid',
    'populate-too-deep',
    'populate-too-many',
    'populated-entry-too-large',
    'publication-filter-invalid',
    'query-out-of-memory',
    'query-timed-out',
    'search-not-a-string',
    'sort-field-empty',
    'sort-invalid',
    'sort-order-invalid',
    'sort-query-invalid',
    'sort-too-deep',
    'sort-type-invalid',
    'time-malformed',
    'time-not-a-string',
    'too-many-joins',
    'value-not-storable',
    'with-count-invalid',
  ],
  /** With `strictParams`. */
  strict: [
    'strict-locale-invalid',
    'strict-locale-malformed',
    'strict-locale-not-a-string',
    'strict-locale-too-long',
    'strict-pagination-mixed',
    'strict-pagination-not-an-integer',
    'strict-status-invalid',
    'strict-with-count-invalid',
  ],
  one: ['not-found'],
  write: [
    'component-not-of-entry',
    'data-missing',
    'data-not-an-object',
    'document-exists',
    'entry-too-large',
    'fields-not-valid',
    'file-type-not-in-attribute',
    'relation-anchor-missing',
    'relation-connected-twice',
    'relation-positions-circular',
    'target-not-found',
    'write-conflict',
  ],
  delete: ['draft-not-deletable', 'write-conflict'],
  /** Where a content type shows a collection of other programs. */
  adopted: ['document-ambiguous', 'json-search-in-items', 'json-search-too-broad', 'stored-value-unreadable'],
  adoptedWrite: [
    'collection-read-only',
    'document-id-not-a-string',
    'document-key-invalid',
    'relation-not-stored-here',
    'write-refused',
  ],
} as const satisfies Readonly<Record<string, readonly ErrorCode[]>>;

export type RefusalGroup = keyof typeof GROUPS;

export type Refusals = Readonly<Record<string, readonly ErrorCode[]>>;

/** The codes of groups and single ones by their status, in order. */
export function refusalsOf(groups: readonly RefusalGroup[], codes: readonly ErrorCode[] = []): Refusals {
  const all = [...new Set<ErrorCode>([...groups.flatMap((group) => GROUPS[group]), ...codes])].sort();
  const byStatus: Record<string, ErrorCode[]> = {};
  for (const code of all) {
    const status = String(STATUS[code] ?? 400);
    byStatus[status] = [...(byStatus[status] ?? []), code];
  }
  return byStatus;
}
