/** What every check works with, and how it refuses: one message and one `details` form for every key (rules A.7). */
import { type ApiError, errors } from '../../errors.js';
import type { Param } from '../ast.js';
import type { QueryScope } from '../settings.js';

/** What every check needs to know; `param` is the root parameter that is being checked, for `details`. */
export interface CheckContext extends QueryScope {
  readonly param: Param;
}

/** REST names the place in the query; the Document Service names the key alone (rules G.2). */
export function invalidKey(
  { settings, param }: Pick<QueryScope, 'settings'> & { readonly param: string },
  key: string,
  path: string | null,
): ApiError {
  return errors.invalidKey(settings.mode === 'rest' ? { key, path, source: 'query', param } : { key, path });
}

export const joinPath = (path: string | null, key: string): string =>
  path === null ? key : `${path}.${key}`;
