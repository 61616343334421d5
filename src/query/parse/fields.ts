import { errors } from '../../errors.js';
import { isAbsent } from '../../values/absent.js';
import type { FieldsNode, RawValue } from '../ast.js';
import { atRoot } from '../values.js';

const invalid = 'Invalid fields parameter. Expected a string or an array of strings';

/**
 * `fields`: `a,b`, `['a', 'b']`, `*`. A list member is one name. As in `sort`, nulls in a list are ignored.
 * An empty string is a 400 (Strapi crashes on it).
 */
export function parseFields(raw: RawValue): FieldsNode | null {
  if (isAbsent(raw)) return null;
  if (raw === '') throw errors.validation('fields-invalid', invalid, atRoot('fields'));
  const texts: readonly RawValue[] =
    typeof raw === 'string' ? raw.split(',') : Array.isArray(raw) ? raw : [raw];
  const names = texts
    .filter((text) => !isAbsent(text))
    .map((text) => {
      if (typeof text !== 'string' || text.includes(',')) throw errors.validation('fields-invalid', invalid);
      return text.trim();
    });
  return { wildcard: names.includes('*'), names: names.filter((name) => name !== '*') };
}
