/** The error codes that a route may answer with (docs/errors.md). */
import { ERROR_CODES, type ErrorCode, type RefusalGroup } from '../../error-codes.js';
import { groupBy } from '../../values/group.js';

const ALL = Object.keys(ERROR_CODES).sort() as readonly ErrorCode[];

/** Every code that an answer may have. */
export const HTTP_CODES: readonly ErrorCode[] = ALL.filter(
  (code) => !ERROR_CODES[code].met.includes('elsewhere'),
);

type Refusals = Readonly<Record<string, readonly ErrorCode[]>>;

/** The codes of groups and single codes, sorted, by status. */
export function refusalsOf(groups: readonly RefusalGroup[], codes: readonly ErrorCode[] = []): Refusals {
  const isMet = (code: ErrorCode): boolean =>
    codes.includes(code) || groups.some((group) => ERROR_CODES[code].met.includes(group));
  return Object.fromEntries(groupBy(ALL.filter(isMet), (code) => String(ERROR_CODES[code].status)));
}
