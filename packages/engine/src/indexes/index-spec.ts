import type { Document } from 'bson';
import { fail } from '../errors.js';
import { compileFilter } from '../matching/index.js';
import { readCollation, storedCollation } from '../options/collation.js';
import type { CollectionMeta } from '../storage/catalog.js';
import { equalValues, isDocument, isNumeric } from '../values/index.js';
import { toDouble } from '../values/numbers.js';
import { isRegex } from '../values/regex.js';
import { shellText } from '../values/shell-text.js';
import { isTruthy } from '../values/type-names.js';
import { hasOperator } from '../values/types.js';
import { currentWork } from '../values/work.js';
import { checkIdFields, DECIDING, readIndexFields, storedOptions } from './index-fields.js';
import { checkKey, isWildcard } from './index-key.js';

/** Kinds of index that compare strings only by their bytes. */
const WITHOUT_COLLATION = new Set<unknown>(['text', '2d']);

const LONGEST_TTL = 0x7fffffff;

const isIdKey = (key: Document): boolean => {
  const [path, kind] = Object.entries(key)[0] ?? [];
  return Object.keys(key).length === 1 && path === '_id' && isNumeric(kind) && toDouble(kind) === 1;
};

/** Why an index's documents cannot expire as specified; undefined if they can, or do not. */
export function expiryFault(spec: Document, collection: CollectionMeta): string | undefined {
  const seconds = spec['expireAfterSeconds'];
  if (seconds === undefined) return undefined;
  if (!isNumeric(seconds)) return "TTL index 'expireAfterSeconds' option must be numeric";
  const number = toDouble(seconds);
  if (!(number >= 0)) return "TTL index 'expireAfterSeconds' option cannot be less than 0";
  if (number > (currentWork().version < 6 ? Date.now() / 1000 : LONGEST_TTL))
    return "TTL index 'expireAfterSeconds' option must be within an acceptable range, try a different value";
  if (Object.keys(spec['key']).length > 1)
    return 'TTL indexes are single-field indexes, compound indexes do not support TTL';
  if (isIdKey(spec['key'])) return 'the _id field does not support TTL indexes';
  return collection.options['capped'] === true ? 'Cannot create TTL index on a capped collection' : undefined;
}

/** The operators allowed in a partial index's filter, besides equality. */
const PARTIAL = new Set(['$eq', '$gt', '$gte', '$lt', '$lte', '$exists', '$type', '$and', '$or', '$in']);

/** Operators that older versions do not allow in it; they do not allow nested conjunctions either. */
const PARTIAL_SINCE_6 = new Set(['$or', '$in']);

function checkPartial(filter: Document, isTop = true): void {
  const isOld = currentWork().version < 6;
  for (const [name, condition] of Object.entries(filter)) {
    const isLate = isOld && (PARTIAL_SINCE_6.has(name) || (name === '$and' && !isTop));
    if (name.startsWith('$') && (!PARTIAL.has(name) || isLate)) {
      fail('CannotCreateIndex', `Expression not supported in partial index: ${name}`);
    }
    if (name === '$exists' && (condition === false || condition === 0)) {
      fail('CannotCreateIndex', 'Expression not supported in partial index: $not');
    }
    if (isRegex(condition)) fail('CannotCreateIndex', 'Expression not supported in partial index: $regex');
    if (name === '$and' || name === '$or') for (const clause of condition) checkPartial(clause, false);
    else if (!name.startsWith('$') && hasOperator(condition)) {
      checkPartial(condition, false);
    }
  }
}

/** The projection of a wildcard index: paths that are either all included or all excluded. */
function checkWildcardProjection(key: Document, projection: Document): void {
  if (!('$**' in key) || Object.keys(projection).length === 0)
    fail('FailedToParse', "The field 'wildcardProjection' must be a non-empty object, for an index on '$**'");
  let shows: boolean | undefined;
  const check = (path: string, value: unknown): void => {
    if (isDocument(value)) {
      for (const [name, inner] of Object.entries(value)) check(`${path}.${name}`, inner);
      return;
    }
    if (typeof value !== 'boolean' && !isNumeric(value))
      fail(51271, 'Bad projection specification, cannot use computed fields in a wildcard projection');
    if (path === '_id') return;
    const shown = isTruthy(value);
    shows ??= shown;
    if (shows !== shown)
      fail(shows ? 31254 : 31253, `Cannot both show and hide paths in a projection: ${path}`);
  };
  for (const [path, value] of Object.entries(projection)) check(path, value);
}

function checkKinds(spec: Document): void {
  const { v, key, unique, sparse, expireAfterSeconds, wildcardProjection } = spec;
  const kinds = Object.values(key).filter((kind) => typeof kind === 'string');
  if (new Set(kinds).size > 1)
    fail('CannotCreateIndex', "Can't use more than one index plugin for a single index.");
  if (kinds.includes('2d') && kinds.length > 1) fail(16800, "can't have 2 geo fields");
  if (kinds.includes('2d') && Object.values(key)[0] !== '2d') fail(16801, '2d has to be first in index');
  const isHashed = kinds.includes('hashed');
  if (isHashed && unique === true)
    fail(16764, 'Currently hashed indexes cannot guarantee uniqueness. Use a regular index.');
  if (!isWildcard(key) || Object.values(key).includes('text')) {
    if (wildcardProjection !== undefined) {
      fail('BadValue', "The field 'wildcardProjection' is only allowed in a wildcard index");
    }
    return;
  }
  if (currentWork().version < 7 && Object.keys(key).length > 1)
    fail('CannotCreateIndex', 'wildcard indexes do not allow compounding');
  if (v !== 2)
    fail('CannotCreateIndex', `Invalid index specification: a wildcard index is of version 2, not ${v}`);
  const wrong = Object.entries({ unique, sparse, expireAfterSeconds }).find(
    ([, value]) => value !== undefined,
  );
  if (wrong !== undefined) {
    fail('CannotCreateIndex', `Index type 'wildcard' does not support the ${wrong[0]} option`);
  }
  if (wildcardProjection !== undefined) checkWildcardProjection(key, wildcardProjection);
}

function checkIdIndex(spec: Document, collection: CollectionMeta): void {
  checkIdFields(spec);
  if (
    spec['collation'] !== undefined &&
    !equalValues(
      storedCollation(readCollation(spec['collation'])) ?? null,
      collection.options['collation'] ?? null,
    )
  ) {
    fail('BadValue', 'The _id index must have the same collation as the collection.');
  }
}

function checkName(name: unknown): void {
  if (name === undefined)
    fail('FailedToParse', "The 'name' field is a required property of an index specification");
  if (name === '' || String(name).includes('\0')) {
    fail('CannotCreateIndex', 'The index name must not be empty or contain a null byte');
  }
  if (name === '*') fail('BadValue', "The index name '*' is not valid.");
}

/** An index specification as it is stored and listed. Throws CannotCreateIndex and related errors. */
export function readIndexSpec(given: Document, collection: CollectionMeta): Document {
  const read = readIndexFields(given);
  const { key, name, v, partialFilterExpression: partial } = read;
  if (key === undefined)
    fail('FailedToParse', "The 'key' field is a required property of an index specification");
  checkKey(key);
  checkName(name);
  if (v !== undefined && v !== 1 && v !== 2)
    fail('CannotCreateIndex', `Invalid index specification: cannot create an index with v=${v}`);
  if (read['hidden'] === true && collection.name.startsWith('system.'))
    fail('BadValue', 'Can not hide index on system collection');
  if (isIdKey(key)) checkIdIndex(given, collection);
  const spec: Document = { v: v ?? 2, key, name, ...storedOptions(read) };
  if (spec['sparse'] === true && partial !== undefined) {
    fail('CannotCreateIndex', 'cannot mix "partialFilterExpression" and "sparse" options');
  }
  const fault = expiryFault(spec, collection);
  if (fault !== undefined) fail('CannotCreateIndex', fault);
  checkKinds(spec);
  if (partial !== undefined) {
    checkPartial(partial);
    compileFilter(partial);
  }
  const own = read['collation'] as Document | undefined;
  if (own !== undefined && Object.keys(own).length === 0)
    fail('BadValue', "The field 'collation' cannot be an empty object.");
  // An index of version 1 has no collation, so it does not inherit the collection's.
  const inherited = spec['v'] === 1 ? undefined : collection.options['collation'];
  const collation = own === undefined ? inherited : storedCollation(readCollation(own));
  const plain = Object.values(key as Document).find((kind) => WITHOUT_COLLATION.has(kind));
  if (collation !== undefined && plain !== undefined)
    fail('CannotCreateIndex', `Index type '${plain}' does not support collation`);
  if (collation !== undefined) spec['collation'] = collation;
  else delete spec['collation'];
  return spec;
}

const sameKey = (a: Document, b: Document): boolean =>
  Object.keys(a).join() === Object.keys(b).join() && equalValues(a, b);

type Pair = [name: string, value: unknown];
const inOrder = (pairs: Pair[]): Pair[] => pairs.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));

/** The individual conditions of a filter, whether or not they are combined with `$and`. */
function conditionsOf(filter: Document): Pair[] {
  return Object.entries(filter).flatMap(([name, condition]): Pair[] => {
    if (name === '$and') return (condition as Document[]).flatMap(conditionsOf);
    if (name.startsWith('$') || !hasOperator(condition)) return [[`${name} $eq`, condition]];
    return Object.entries(condition).map(([operator, operand]): Pair => [`${name} ${operator}`, operand]);
  });
}

/** The paths of a projection, and whether each is included. The _id is not, unless requested. */
export function pathsOfProjection(projection: Document, above = ''): Pair[] {
  return Object.entries(projection)
    .flatMap(([name, value]): Pair[] =>
      isDocument(value) ? pathsOfProjection(value, `${above}${name}.`) : [[above + name, isTruthy(value)]],
    )
    .filter(([path, shown]) => path !== '_id' || shown === true);
}

/** Options in a normalized form for comparison. */
function normal({ v: _v, name: _name, hidden: _hidden, ...spec }: Document): Document {
  const { partialFilterExpression: filter, wildcardProjection: shown, ...rest } = spec;
  if (filter !== undefined) rest['partialFilterExpression'] = inOrder(conditionsOf(filter));
  if (shown !== undefined) rest['wildcardProjection'] = inOrder(pathsOfProjection(shown));
  return Object.fromEntries(inOrder(Object.entries(rest)));
}

const sameOptions = (a: Document, b: Document): boolean => equalValues(normal(a), normal(b));

function sameSignature(a: Document, b: Document): boolean {
  const [one, other] = [normal(a), normal(b)];
  return (
    sameKey(a['key'], b['key']) &&
    DECIDING.every((option) => equalValues(one[option] ?? null, other[option] ?? null))
  );
}

/** Whether the index already exists. Throws IndexOptionsConflict or IndexKeySpecsConflict for a similar one. */
export function isKnownIndex(collection: CollectionMeta, spec: Document): boolean {
  if (isIdKey(spec['key'])) return true;
  const shown = (known: Document): string =>
    `Requested index: ${shellText(spec)}, existing index: ${shellText(known)}`;
  const named = collection.indexes.find((index) => index.spec['name'] === spec['name'])?.spec;
  if (named !== undefined) {
    if (sameOptions(named, spec)) return true;
    if (!sameSignature(named, spec)) {
      fail(
        'IndexKeySpecsConflict',
        `An existing index has the same name as the requested index. ${shown(named)}`,
      );
    }
    fail(
      'IndexOptionsConflict',
      `An equivalent index already exists with the same name but different options. ${shown(named)}`,
    );
  }
  const alike = collection.indexes.find((index) => sameSignature(index.spec, spec))?.spec;
  if (alike === undefined) return false;
  if (sameOptions(alike, spec)) {
    fail('IndexOptionsConflict', `Index already exists with a different name: ${alike['name']}`);
  }
  return fail(
    'IndexOptionsConflict',
    `An equivalent index already exists with a different name and options. ${shown(alike)}`,
  );
}
