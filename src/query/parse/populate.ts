import { errors } from '../../errors.js';
import { readBoolean } from '../../schema/scalars/boolean.js';
import { isAbsent } from '../../values/absent.js';
import { isPlainObject } from '../../values/plain-object.js';
import type { PopulateNode, PopulateOptions, PopulateValue, RawObject, RawValue } from '../ast.js';
import { hasIntegerKeys } from '../values.js';
import { parseFields } from './fields.js';
import { parseFilters } from './filters.js';
import { parseSort } from './sort.js';

const longestList = 100;
const invalid = 'Invalid populate parameter. Expected a string, an array of strings, a populate object';

/** `populate`: `*`, `a,b.c`, a list of such strings, or an object of options by attribute. */
export function parsePopulate(raw: RawValue): PopulateNode | null {
  if (isAbsent(raw)) return null;
  if (raw === '*') return { kind: 'wildcard' };
  if (typeof raw === 'string') return parsePaths([raw]);
  if (hasIntegerKeys(raw)) throw tooMany(Object.keys(raw).length);
  if (Array.isArray(raw)) return parseList(raw);
  if (isPlainObject(raw)) return { kind: 'object', entries: parseEntries(raw) };
  throw errors.validation('populate-invalid', invalid);
}

function parseList(list: readonly RawValue[]): PopulateNode {
  if (list.length > longestList) throw tooMany(list.length);
  const texts = list.filter((text) => typeof text === 'string');
  if (texts.length < list.length) throw errors.validation('populate-invalid', invalid);
  return parsePaths(texts);
}

const parsePaths = (texts: readonly string[]): PopulateNode => ({
  kind: 'paths',
  paths: texts
    .flatMap((text) => text.split(','))
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .map((part) => part.split('.')),
  unsplit: texts.map((text) => text.split('.')),
});

const parseEntries = (raw: RawObject): readonly (readonly [string, PopulateValue])[] =>
  Object.entries(raw).map(([key, value]) => [key, parseValue(value)]);

/** A key without a value (`populate[a]`) counts as empty text, which is rejected. */
function parseValue(raw: RawValue): PopulateValue {
  const flag = readBoolean(raw);
  if (flag !== undefined || raw === undefined) return { kind: 'flag', on: flag ?? false };
  if (raw === null) return { kind: 'text', text: '' };
  if (typeof raw === 'string') return { kind: 'text', text: raw };
  if (isPlainObject(raw)) return { kind: 'options', options: parseOptions(raw) };
  if (Array.isArray(raw)) return { kind: 'list', of: raw };
  throw errors.validation('populate-invalid', invalid);
}

/** Keeps every member: which of them are allowed depends on the attribute. */
function parseOptions(raw: RawObject): PopulateOptions {
  const on = raw['on'];
  return {
    fields: parseFields(raw['fields']),
    filters: parseFilters(raw['filters']),
    sort: isAbsent(raw['sort']) ? null : parseSort(raw['sort'], 'rest'),
    populate: parsePopulate(raw['populate']),
    count: raw['count'],
    on: isPlainObject(on) ? parseEntries(on) : Array.isArray(on) ? parseEntries({ ...on }) : null,
    keys: Object.keys(raw),
    raw,
  };
}

const tooMany = (count: number) =>
  errors.validation(
    'populate-too-many',
    `Too many populate entries (${count}). The maximum number of populate entries when using array notation is ${longestList}. Consider using object notation (populate[field]=true), nested population, or reducing the number of fields.`,
    { source: 'query', param: 'populate' },
  );
