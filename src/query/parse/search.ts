import { errors } from '../../errors.js';
import type { RawValue } from '../ast.js';
import { isAbsent } from '../values.js';

/** `_q` (rules A.14): a string; an empty one means none. Anything nested is a 400. */
export function parseSearch(raw: RawValue): string | null {
  if (isAbsent(raw) || raw === '') return null;
  if (typeof raw === 'object')
    throw errors.validation('search-not-a-string', 'Invalid _q parameter. Expected a string', {
      key: '_q',
      path: null,
      source: 'query',
      param: '_q',
    });
  return String(raw);
}
