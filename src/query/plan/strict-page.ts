import { errors } from '../../errors.js';
import type { RawValue, RootPagination } from '../ast.js';
import { isAbsent, quote } from '../values.js';

interface Bound {
  readonly min: number;
  /** -1: all. */
  readonly all?: boolean;
}

const bounds = {
  page: { min: 1 },
  pageSize: { min: 1 },
  start: { min: 0 },
  limit: { min: 1, all: true },
} satisfies Partial<Record<keyof RootPagination, Bound>>;

/**
 * The pagination of a Document Service call where its parameters are strict (rules A.11): integers within their bounds,
 * one style, a boolean `withCount`; an empty text counts as absent. REST asks with the start and limit that it worked out.
 */
export function checkStrictPage(given: RootPagination): void {
  const paged = isGiven(given.page) || isGiven(given.pageSize);
  if (paged && (isGiven(given.start) || isGiven(given.limit)))
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

function checkNumber(name: string, value: RawValue, { min, all = false }: Bound): void {
  if (!isGiven(value)) return;
  const number = typeof value === 'object' ? Number.NaN : Number(value);
  if (Number.isInteger(number) && (number >= min || (all && number === -1))) return;
  throw errors.validation(
    'strict-pagination-not-an-integer',
    `Invalid parameter at '${name}'. Expected integer >= ${min}${all ? ' or -1' : ''}, received: ${quote(value)}`,
  );
}
