import { errors } from '../../errors.js';
import type { FieldsNode, RawValue } from '../ast.js';
import { isAbsent } from '../values.js';

const invalid = 'Invalid fields parameter. Expected a string or an array of strings';

/**
 * `fields` (rules A.12): `a,b`, `['a', 'b']`, `*`. Nulls in a list are ignored, as in `sort`. An empty string is a 400
 * (Strapi breaks down on it).
 */
export function parseFields(raw: RawValue): FieldsNode | null {
  if (isAbsent(raw)) return null;
  if (raw === '')
    throw errors.validation('fields-invalid', invalid, {
      key: 'fields',
      path: null,
      source: 'query',
      param: 'fields',
    });
  const texts: readonly RawValue[] = Array.isArray(raw) ? raw : [raw];
  const names = texts
    .filter((text) => !isAbsent(text))
    .flatMap((text) => {
      if (typeof text !== 'string') throw errors.validation('fields-invalid', invalid);
      return text.split(',').map((name) => name.trim());
    });
  return { wildcard: names.includes('*'), names: names.filter((name) => name !== '*') };
}
