import { errors } from '../../errors.js';
import { isAbsent } from '../../values/absent.js';
import { isPlainObject } from '../../values/plain-object.js';
import type { FilterNode, RawObject, RawValue } from '../ast.js';
import { CallerValue } from '../caller-values.js';
import { atRoot, listOf } from '../values.js';

/** `filters`: one tree of groups, attributes and operators in the caller's order. Nothing is dropped. */
export function parseFilters(raw: RawValue): FilterNode | null {
  if (isAbsent(raw)) return null;
  if (listOf(raw) && typeof raw === 'object')
    throw errors.validation(
      'filters-not-an-object',
      'The filters parameter must be an object',
      atRoot('filters'),
    );
  if (!isPlainObject(raw))
    throw errors.validation('filters-invalid', 'The filters parameter must be an object or an array');
  return parseObject(raw, null);
}

/**
 * `locale` with operators, such as `locale[$ne]=fr`, as a filter on the attribute. Null for codes and lists
 * of codes.
 */
export const parseLocaleFilter = (raw: RawValue): FilterNode | null =>
  isPlainObject(raw) && !listOf(raw) ? parseFilters({ locale: raw }) : null;

/** The attribute names so far, for messages. */
type Path = string | null;

const parseObject = (raw: RawObject, path: Path): FilterNode => ({
  kind: 'all',
  of: Object.entries(raw).map(([key, value]) => parseEntry(key, value, path)),
});

function parseEntry(key: string, value: RawValue, path: Path): FilterNode {
  if (key === '$and' || key === '$or')
    return { kind: 'group', operator: key, of: parseGroup(key, value, path) };
  // A list means that not all of them hold, just as under other single-value operators a list means that one
  // of them does.
  if (key === '$not')
    return {
      kind: 'group',
      operator: '$not',
      of: (listOf(value) ?? [value]).map((member) => parseValue(member, path)),
    };
  if (key.startsWith('$')) return { kind: 'operator', operator: key, value: listOf(value) ?? value };
  return { kind: 'attribute', attribute: key, of: parseValue(value, path === null ? key : `${path}.${key}`) };
}

function parseGroup(key: string, value: RawValue, path: Path): readonly FilterNode[] {
  const list = listOf(value);
  if (!list) throw notAList(key, path);
  return list.map((member) => {
    if (!isPlainObject(member)) throw notAList(key, path);
    return parseObject(member, path);
  });
}

/**
 * The value of an attribute or `$not`: an object, a value (implicit `$eq`), or a list of values (implicit
 * `$in`).
 */
function parseValue(value: RawValue, path: Path): FilterNode {
  const list = listOf(value);
  if (list?.some((member) => typeof member === 'object' && member !== null && !isValue(member)))
    throw errors.validation(
      'filter-list-of-objects',
      `Invalid value for ${path ?? '$not'}. A list of objects requires $and or $or`,
      { key: path ?? '$not', path, source: 'query', param: 'filters' },
    );
  if (!list && isPlainObject(value)) return parseObject(value, path);
  return { kind: 'operator', operator: '$eq', value: list ?? value };
}

const isValue = (member: object): boolean => member instanceof Date || member instanceof CallerValue;

const notAList = (key: string, path: Path) =>
  errors.validation('group-not-an-array', `Invalid value for ${key}. Expected an array of objects`, {
    ...atRoot('filters'),
    key,
    path,
  });
