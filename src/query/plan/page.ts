import { errors } from '../../errors.js';
import type { PaginationNode, RawValue } from '../ast.js';
import type { Page } from '../read-plan.js';
import type { QuerySettings } from '../settings.js';
import { isAbsent, readBoolean } from '../values.js';

const given = (value: RawValue): boolean => value !== undefined;

/** Single entries and everything in the Document Service that is no list. */
export const oneEntry: Page = Object.freeze({ style: 'none', skip: 0, limit: 1, page: 1, withCount: false });

/** REST lists (SPEC A.11): page or offset style, lenient values, 400 for what is no number. */
export function planPage(node: PaginationNode, settings: QuerySettings): Page {
  const paged = given(node.page) || given(node.pageSize);
  const offset = given(node.start) || given(node.limit);
  if (paged && offset) throw errors.pagination('Cannot use both page & offset pagination in the same query');
  const withCount = planWithCount(node.withCount, settings);
  checkRoot(node, settings);
  if (offset) {
    const skip = integer(atLeast(0, number(node.start ?? 0)), 'convertStartQueryParams');
    return { style: 'offset', skip, limit: planLimit(node.limit, settings), page: 1, withCount };
  }
  const page = atLeast(1, number(node.page ?? 1));
  const size = sizeOf(node.pageSize, settings);
  const skip = integer((page - 1) * size, 'convertStartQueryParams');
  return { style: 'page', skip, limit: integer(size, 'convertLimitQueryParams'), page, withCount };
}

/** Document Service lists: `start` and `limit`; no limit unless given, -1 is none (SPEC G.2). */
export function planServicePage(node: PaginationNode): Page {
  const skip = isAbsent(node.start) ? 0 : integer(number(node.start), 'convertStartQueryParams');
  const limit =
    isAbsent(node.limit) || Number(node.limit) === -1
      ? null
      : integer(number(node.limit), 'convertLimitQueryParams');
  return { style: 'none', skip, limit, page: 1, withCount: false };
}

/** `page` outside of `pagination` contradicts the offset that each list has (SPEC A.11). */
function checkRoot({ rootPage, rootPageSize }: PaginationNode, settings: QuerySettings): void {
  if (isAbsent(rootPage) && isAbsent(rootPageSize)) return;
  if (settings.strictValues)
    throw errors.validation(
      'Invalid pagination parameters. Cannot use both page-based (page, pageSize) and offset-based (start, limit) pagination in the same query.',
    );
  throw errors.pagination(
    'Invalid pagination attributes. The page parameters are incorrect and must be in the pagination object',
  );
}

function planWithCount(raw: RawValue, { withCount }: QuerySettings): boolean {
  if (raw === undefined) return withCount;
  const flag = readBoolean(raw);
  if (flag !== undefined) return flag;
  throw errors.validation('Invalid withCount parameter. Expected "t","1","true","false","0","f"');
}

const planLimit = (raw: RawValue, settings: QuerySettings): number =>
  integer(sizeOf(raw, settings), 'convertLimitQueryParams');

/** The asked size between 1 and the maximum; what is no number becomes the maximum (SPEC A.11). */
function sizeOf(raw: RawValue, { defaultLimit, maxLimit }: QuerySettings): number {
  const asked = raw === undefined ? defaultLimit : number(raw);
  if (maxLimit === null) return atLeast(1, asked);
  return asked <= maxLimit ? atLeast(1, asked) : maxLimit;
}

/** Null and the empty text are 0, as JavaScript's `Number` reads them; objects and longer lists are no number. */
function number(raw: RawValue): number {
  if (Array.isArray(raw)) return raw.length === 1 ? number(raw[0]) : Number.NaN;
  return typeof raw === 'object' && raw !== null ? Number.NaN : Number(raw);
}

const atLeast = (least: number, value: number): number => Math.max(value, least);

function integer(value: number, reader: string): number {
  if (Number.isSafeInteger(value) && value >= 0) return value;
  throw errors.validation(`${reader} expected a positive integer got ${value}`);
}
