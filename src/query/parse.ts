/**
 * Text → AST. Knows the grammar of the query language and nothing of any schema: whether a name exists is `check.ts`'s
 * question, what a value means `plan.ts`'s.
 */
import qs from 'qs';
import { errors } from '../errors.js';
import { isPlainObject } from '../values/plain-object.js';
import type { QueryNode, RawObject, RawValue } from './ast.js';
import { checkCost, checkParameterCount } from './cost.js';
import { parseFields } from './parse/fields.js';
import { parseFilters, parseLocaleFilter } from './parse/filters.js';
import { parsePagination } from './parse/pagination.js';
import { parsePopulate } from './parse/populate.js';
import { parseSearch } from './parse/search.js';
import { parseSort } from './parse/sort.js';
import { defaultLimits, type QueryLimits, type QueryMode } from './settings.js';

/**
 * Reads a query string (without `?`) as Strapi's `qs` settings do (rules A.6). 400 for more parameters than allowed; no filter
 * is dropped silently.
 */
export function parseQueryText(text: string, limits: QueryLimits = defaultLimits): RawObject {
  checkParameterCount(text, limits);
  const parsed = qs.parse(text, {
    decoder: decodeKept,
    strictNullHandling: true,
    arrayLimit: limits.arrayLimit,
    depth: limits.depth,
    parameterLimit: limits.parameterLimit,
    plainObjects: true,
  });
  return withoutInherited(parsed) ?? bare([]);
}

/**
 * What Strapi's parser leaves out: parameters with a key that every object inherits, such as `populate[constructor]=true`. In
 * filters they stay, to be refused. Undefined where nothing is left.
 */
function withoutInherited(raw: RawObject): RawObject | undefined {
  const entries = Object.entries(raw);
  const kept = entries
    .filter(([key]) => !Object.hasOwn(Object.prototype, key))
    .map(([key, value]): [string, RawValue] => [key, key === 'filters' ? value : inside(value)])
    .filter(([, value]) => value !== undefined);
  return kept.length === 0 && entries.length > 0 ? undefined : bare(kept);
}

function inside(value: RawValue): RawValue {
  if (isPlainObject(value)) return withoutInherited(value);
  return Array.isArray(value) ? value.map(inside).filter((member) => member !== undefined) : value;
}

/** Without a prototype, as `qs` makes them. */
const bare = (entries: readonly (readonly [string, RawValue])[]): RawObject =>
  Object.assign(Object.create(null) as RawObject, Object.fromEntries(entries));

/** `qs` leaves out keys named `__proto__`; in a filter they are refused, since no filter is ever dropped (rules 0.4, row 4). */
const decodeKept: NonNullable<qs.IParseOptions['decoder']> = (text, decode, charset, type) => {
  const decoded: string = decode(text, decode, charset);
  if (type === 'key' && decoded.includes('[__proto__]') && decoded.includes('filters'))
    throw errors.invalidKey({ key: '__proto__', path: null, source: 'query', param: 'filters' });
  return decoded;
};

/** Makes the AST. 400 for a parameter whose form is wrong or whose cost is out of bounds. */
export function parseQuery(raw: RawObject, mode: QueryMode, limits: QueryLimits = defaultLimits): QueryNode {
  checkCost(raw, limits);
  return {
    keys: Object.keys(raw),
    filters: parseFilters(raw['filters']),
    search: parseSearch(raw['_q']),
    sort: parseSort(raw['sort'], mode),
    fields: parseFields(raw['fields']),
    populate: parsePopulate(raw['populate']),
    pagination: parsePagination(raw, mode),
    status: raw['status'],
    locale: raw['locale'],
    localeFilter: parseLocaleFilter(raw['locale']),
    publicationFilter: raw['publicationFilter'],
    hasPublishedVersion: raw['hasPublishedVersion'],
  };
}
