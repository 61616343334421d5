import { type ApiError, errors } from '../../errors.js';
import { readBoolean } from '../../schema/scalars/boolean.js';
import { isAbsent } from '../../values/absent.js';
import type { PaginationNode, RawValue, RootPagination } from '../ast.js';
import type { Page } from '../read-plan.js';
import type { QuerySettings } from '../settings.js';
import { quote } from '../values.js';

const given = (value: RawValue): boolean => value !== undefined;

/** The page of single entries. */
export const oneEntry: Page = Object.freeze({ style: 'none', skip: 0, limit: 1, page: 1, withCount: false });

/** REST lists: page or offset style, with lenient values; throws a 400 for anything that is not a number. */
export function planPage(node: PaginationNode, settings: QuerySettings): Page {
  const paged = given(node.page) || given(node.pageSize);
  const offset = given(node.start) || given(node.limit);
  if (paged && offset)
    throw errors.pagination('pagination-mixed', 'Cannot use both page & offset pagination in the same query');
  const page = offset ? 1 : atLeast(1, number(node.page ?? 1));
  const size = sizeOf(offset ? node.limit : node.pageSize, settings);
  const start = offset ? atLeast(0, number(node.start ?? 0)) : (page - 1) * size;
  checkUnknownKeys(node.root ?? {}, { start, limit: size }, settings);
  const skip = integer(start, 'convertStartQueryParams');
  const limit = integer(size, 'convertLimitQueryParams');
  // As in Strapi, a page between two, whose start is an integer, has the number of the one that it starts in.
  return {
    style: offset ? 'offset' : 'page',
    skip,
    limit,
    page: Math.floor(skip / limit) + 1,
    withCount: planWithCount(node.withCount, settings),
  };
}

/** Document Service lists: `start` and `limit`, not together with a page. There is no limit unless given, nor if it is -1 or 0. */
export function planServicePage(node: PaginationNode, settings: QuerySettings): Page {
  const { root = {} } = node;
  if (settings.strictValues) checkStrictPage(root);
  if (isMixed(root)) throw pageAtRoot();
  const skip = isAbsent(node.start) ? 0 : integer(number(node.start), 'convertStartQueryParams');
  const limit =
    isAbsent(node.limit) || [-1, 0].includes(number(node.limit))
      ? null
      : integer(number(node.limit), 'convertLimitQueryParams');
  return { style: 'none', skip, limit, page: 1, withCount: false };
}

/** The first entry of a Document Service list, from `start` on: `limit` is checked, but not used. */
export const planFirst = (node: PaginationNode, settings: QuerySettings): Page => ({
  ...planServicePage(node, settings),
  limit: 1,
});

/** `page` outside of `pagination` conflicts with the offset that every list has. */
function checkUnknownKeys(
  { page, pageSize }: RootPagination,
  offset: { readonly start: number; readonly limit: number },
  settings: QuerySettings,
): void {
  if (settings.strictValues) checkStrictPage({ page, pageSize, ...offset });
  if (!isAbsent(page) || !isAbsent(pageSize)) throw pageAtRoot();
}

const pageAtRoot = (): ApiError =>
  errors.pagination(
    'pagination-at-root',
    'Invalid pagination attributes. The page parameters are incorrect and must be in the pagination object',
  );

function planWithCount(raw: RawValue, { withCount }: QuerySettings): boolean {
  if (raw === undefined) return withCount;
  const flag = readBoolean(raw);
  if (flag !== undefined) return flag;
  throw errors.validation(
    'with-count-invalid',
    'Invalid withCount parameter. Expected "t","1","true","false","0","f"',
  );
}

/** The requested size, between 1 and the maximum; the maximum if it is not a number. */
function sizeOf(raw: RawValue, { defaultLimit, maxLimit }: QuerySettings): number {
  const requested = raw === undefined ? defaultLimit : number(raw);
  if (maxLimit === null) return atLeast(1, requested);
  return requested <= maxLimit ? atLeast(1, requested) : maxLimit;
}

/**
 * Null and the empty string are 0, as for JavaScript's `Number`; objects and lists of several members are
 * NaN.
 */
function number(raw: RawValue): number {
  if (Array.isArray(raw)) return raw.length === 1 ? number(raw[0]) : Number.NaN;
  return typeof raw === 'object' && raw !== null ? Number.NaN : Number(raw);
}

const atLeast = (least: number, value: number): number => Math.max(value, least);

function integer(value: number, reader: string): number {
  if (Number.isSafeInteger(value) && value >= 0) return value;
  throw errors.validation('pagination-not-an-integer', `${reader} expected a positive integer got ${value}`);
}

interface Bound {
  readonly min: number;
  /** -1 means all. */
  readonly all?: boolean;
}

const bounds = {
  page: { min: 1 },
  pageSize: { min: 1 },
  start: { min: 0 },
  limit: { min: 1, all: true },
} satisfies Partial<Record<keyof RootPagination, Bound>>;

/**
 * Checks pagination in strict mode of the Document Service: integers within their bounds, one style, a
 * boolean `withCount`; empty text counts as absent. REST passes the start and limit that it has computed.
 */
export function checkStrictPage(given: RootPagination): void {
  if (isMixed(given))
    throw errors.validation(
      'strict-pagination-mixed',
      'Invalid pagination parameters. Cannot use both page-based (page, pageSize) and offset-based (start, limit) pagination in the same query.',
    );
  checkNumber('page', given.page, bounds.page);
  checkNumber('pageSize', given.pageSize, bounds.pageSize);
  checkNumber('start', given.start, bounds.start);
  checkNumber('limit', given.limit, bounds.limit);
  const { withCount } = given;
  if (isGiven(withCount) && !['true', 'false', true, false].some((flag) => flag === withCount))
    throw errors.validation(
      'strict-with-count-invalid',
      `Invalid parameter at 'withCount'. Expected a boolean, received: ${typeof withCount}`,
    );
}

const isGiven = (value: RawValue): boolean => !isAbsent(value) && value !== '';

const isMixed = ({ page, pageSize, start, limit }: RootPagination): boolean =>
  (isGiven(page) || isGiven(pageSize)) && (isGiven(start) || isGiven(limit));

function checkNumber(name: string, value: RawValue, { min, all = false }: Bound): void {
  if (!isGiven(value)) return;
  const number = typeof value === 'object' ? Number.NaN : Number(value);
  if (Number.isInteger(number) && (number >= min || (all && number === -1))) return;
  throw errors.validation(
    'strict-pagination-not-an-integer',
    `Invalid parameter at '${name}'. Expected integer >= ${min}${all ? ' or -1' : ''}, received: ${quote(value)}`,
  );
}
