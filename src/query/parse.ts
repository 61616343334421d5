/**
 * Text → AST. Knows the grammar of the query language but no schema: `check.ts` decides whether a name
 * exists, `plan.ts` what a value means.
 */
import qs from 'qs';
import { errors } from '../errors.js';
import { isAbsent } from '../values/absent.js';
import { isPlainObject } from '../values/plain-object.js';
import type { PaginationNode, QueryNode, RawObject, RawValue, RootPagination } from './ast.js';
import { isReadParam } from './params.js';
import { parseFields } from './parse/fields.js';
import { parseFilters, parseLocaleFilter } from './parse/filters.js';
import { parsePopulate } from './parse/populate.js';
import { parseSort } from './parse/sort.js';
import { defaultLimits, type QueryLimits, type QueryMode } from './settings.js';
import { atRoot } from './values.js';

/**
 * Parses a query string (without `?`) with the `qs` settings of Strapi. Throws a 400 for too many parameters;
 * never silently drops a filter.
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
 * Drops what Strapi's parser drops: parameters whose key every object inherits, such as
 * `populate[constructor]=true`. In filters they are kept, so that they are rejected. Undefined if nothing is
 * left.
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

/** Without a prototype, like the objects of `qs`. */
const bare = (entries: readonly (readonly [string, RawValue])[]): RawObject =>
  Object.assign(Object.create(null), Object.fromEntries(entries));

/** `qs` drops keys named `__proto__`; in a filter they are rejected, since no filter is ever dropped. */
const decodeKept: NonNullable<qs.IParseOptions['decoder']> = (text, decode, charset, type) => {
  const decoded: string = decode(text, decode, charset);
  if (type === 'key' && decoded.includes('[__proto__]') && decoded.includes('filters'))
    throw errors.invalidKey({ key: '__proto__', path: null, source: 'query', param: 'filters' });
  return decoded;
};

/** Builds the AST. Throws a 400 for a malformed parameter or one that exceeds the limits. */
export function parseQuery(raw: RawObject, mode: QueryMode, limits: QueryLimits = defaultLimits): QueryNode {
  checkCost(ownParams(raw), limits);
  const { filters, _q, sort, fields, populate, pagination } = raw;
  const { status, at, locale, publicationFilter, hasPublishedVersion } = raw;
  return {
    keys: Object.keys(raw),
    filters: parseFilters(filters),
    search: parseSearch(_q),
    sort: parseSort(sort, mode),
    fields: parseFields(fields),
    populate: parsePopulate(populate),
    pagination: parsePagination(pagination, pageMembers(raw), mode),
    status,
    at,
    locale,
    localeFilter: parseLocaleFilter(locale),
    publicationFilter,
    hasPublishedVersion,
  };
}

/** What is none of a read's parameters is not looked into. */
const ownParams = (raw: RawObject): RawObject =>
  Object.fromEntries(Object.entries(raw).map(([name, value]) => [name, isReadParam(name) ? value : null]));

/** `_q`: a string; empty means none. Anything nested is a 400. */
function parseSearch(raw: RawValue): string | null {
  if (isAbsent(raw) || raw === '') return null;
  if (typeof raw === 'object')
    throw errors.validation('search-not-a-string', 'Invalid _q parameter. Expected a string', atRoot('_q'));
  return String(raw);
}

/** `pagination` in REST; `start` and `limit` in the Document Service. Unknown members are ignored. */
function parsePagination(raw: RawValue, root: RootPagination, mode: QueryMode): PaginationNode {
  if (mode === 'service') return { start: root.start, limit: root.limit, root };
  return { ...pageMembers(isPlainObject(raw) ? raw : {}), root };
}

const pageMembers = ({ page, pageSize, start, limit, withCount }: RawObject): RootPagination => ({
  page,
  pageSize,
  start,
  limit,
  withCount,
});

/**
 * Throws a 400 if the parameters are nested too deeply, too wide or too many. Runs before anything recurses,
 * with an explicit stack, so that no nesting can overflow the call stack.
 */
export function checkCost(raw: RawValue, limits: QueryLimits): void {
  const stack: { readonly value: object; readonly depth: number }[] = [];
  let nodes = 0;
  const visit = (value: RawValue, depth: number): void => {
    nodes += 1;
    if (nodes > limits.maxNodes) throw tooCostly('values', limits.maxNodes);
    if (typeof value !== 'object' || value === null) return;
    if (depth > limits.maxDepth) throw tooCostly('levels', limits.maxDepth);
    stack.push({ value, depth });
  };
  visit(raw, 1);
  for (let top = stack.pop(); top !== undefined; top = stack.pop()) {
    const members: readonly RawValue[] = Array.isArray(top.value) ? top.value : Object.values(top.value);
    if (members.length > limits.maxBreadth) throw tooCostly('members of one object', limits.maxBreadth);
    for (const member of members) visit(member, top.depth + 1);
  }
}

/** Throws a 400 for too many parameters, before any is parsed. */
export function checkParameterCount(text: string, limits: QueryLimits): void {
  let count = 1;
  for (let at = text.indexOf('&'); at !== -1; at = text.indexOf('&', at + 1)) count += 1;
  if (count > limits.parameterLimit) throw tooCostly('parameters', limits.parameterLimit);
}

function tooCostly(what: string, limit: number) {
  return errors.validation('query-too-large', `The query has too many ${what}. The maximum is ${limit}.`, {
    limit,
    source: 'query',
  });
}
