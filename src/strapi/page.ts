import type { Config } from '../config/types.js';
import { objectAt } from '../values/plain-object.js';

type RestConfig = Pick<Config['rest'], 'defaultLimit' | 'maxLimit' | 'withCount'>;

interface Page {
  readonly window: { readonly start: number; readonly limit: number };
  readonly counts: boolean;
  /** `pagination` of the result. */
  shown(total: number | null): object;
}

const NO: ReadonlySet<unknown> = new Set(['false', 'f', '0', 0, false]);

/** The page that `pagination` of a core service's `find` asks for; what is missing or no number has its default. */
export function pageOf(given: unknown, { defaultLimit, maxLimit, withCount }: RestConfig): Page {
  const asked = objectAt(given);
  const number = (name: string, standard: number): number => {
    const value = Number.parseInt(String(asked[name]), 10);
    return Number.isNaN(value) ? standard : value;
  };
  const most = (size: number): number => {
    const max = maxLimit !== null && maxLimit > 0 ? maxLimit : Number.POSITIVE_INFINITY;
    if (size === -1) return Number.isFinite(max) ? max : -1;
    return Math.min(Math.max(size, 1), max);
  };
  const counts = asked['withCount'] === undefined ? withCount : !NO.has(asked['withCount']);
  if ('start' in asked || 'limit' in asked) {
    const window = { start: Math.max(number('start', 0), 0), limit: most(number('limit', defaultLimit)) };
    return { window, counts, shown: (total) => ({ ...window, ...(total !== null && { total }) }) };
  }
  const page = Math.max(number('page', 1), 1);
  const pageSize = most(number('pageSize', defaultLimit));
  return {
    window: { start: pageSize === -1 ? 0 : (page - 1) * pageSize, limit: pageSize },
    counts,
    shown: (total) => ({
      page,
      pageSize,
      ...(total !== null && { pageCount: pageSize > 0 ? Math.ceil(total / pageSize) : 1, total }),
    }),
  };
}
