/**
 * What all checks share, including the form of their errors: one message and one form of `details` for every
 * key.
 */
import { type ApiError, errors } from '../../errors.js';
import type { Param } from '../ast.js';
import type { QueryScope } from '../settings.js';

/** `param` is the root parameter being checked, for `details`. */
export interface CheckContext extends QueryScope {
  readonly param: Param;
}

/** REST errors give the place in the query; Document Service errors only the key. */
export function invalidKey(
  { settings, param }: Pick<QueryScope, 'settings'> & { readonly param: string },
  key: string,
  path: string | null,
): ApiError {
  return errors.invalidKey(settings.mode === 'rest' ? { key, path, source: 'query', param } : { key, path });
}

export const joinPath = (path: string | null, key: string): string =>
  path === null ? key : `${path}.${key}`;
