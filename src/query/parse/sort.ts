import { errors } from '../../errors.js';
import { isAbsent } from '../../values/absent.js';
import { isPlainObject } from '../../values/plain-object.js';
import type { RawObject, RawValue, SortNode } from '../ast.js';
import type { QueryMode } from '../settings.js';

const invalid =
  'Invalid sort parameter. Expected a string, an array of strings, a sort object or an array of sort objects';

/** `sort`: text, a list of texts, an object, or a list of objects. The plan reads the order. */
export function parseSort(raw: RawValue, mode: QueryMode): readonly SortNode[] {
  if (isAbsent(raw)) return [];
  if (typeof raw === 'string') return parseText(raw, mode);
  if (Array.isArray(raw)) return raw.flatMap((member: RawValue) => parseMember(member, mode));
  if (isPlainObject(raw)) return parseObject(raw, []);
  throw errors.validation('sort-invalid', invalid);
}

function parseMember(raw: RawValue, mode: QueryMode): readonly SortNode[] {
  if (Array.isArray(raw)) throw errors.validation('sort-invalid', invalid);
  return parseSort(raw, mode);
}

function parseText(text: string, mode: QueryMode): readonly SortNode[] {
  return text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .flatMap((part) => parsePart(part, mode));
}

function parsePart(part: string, mode: QueryMode): readonly SortNode[] {
  const [field = '', order = null] = part.split(':');
  if (field !== '') return [partOf(field.split('.'), order?.trim() ?? null, mode)];
  if (mode === 'rest') return [];
  throw errors.validation('sort-field-empty', 'Field cannot be empty');
}

/**
 * Over REST, Strapi reads a path as an object, in which an empty order means none. Elsewhere it is refused, like any
 * other word: here a colon, which is none.
 */
const partOf = (path: readonly string[], order: string | null, mode: QueryMode): SortNode => ({
  path,
  order: order === '' && (path.length === 1 || mode !== 'rest') ? ':' : order,
});

function parseObject(raw: RawObject, path: readonly string[]): readonly SortNode[] {
  return Object.entries(raw).flatMap(([key, value]): readonly SortNode[] => {
    const here = [...path, key];
    if (isPlainObject(value)) return parseObject(value, here);
    if (typeof value === 'string') return [{ path: here, order: value.trim() }];
    throw errors.validation(
      'sort-type-invalid',
      `Invalid sort type expected object or string got ${typeof value}`,
    );
  });
}
