import type { Document } from 'bson';
import { fail } from '../errors.js';
import { compileFilter } from '../matching/index.js';
import type { CollectionMeta } from '../storage/catalog.js';
import { equalValues, isDocument, isSimpleCollation } from '../values/index.js';

const KINDS = new Set(['text', '2dsphere', '2d', 'hashed', 'columnstore']);

const OPTIONS = new Set([
  'key',
  'name',
  'unique',
  'sparse',
  'partialFilterExpression',
  'expireAfterSeconds',
  'collation',
  'hidden',
  'background',
  'v',
  'weights',
  'default_language',
  'language_override',
  'textIndexVersion',
  '2dsphereIndexVersion',
  'wildcardProjection',
  'bits',
  'min',
  'max',
  'storageEngine',
  'ns',
  'prepareUnique',
  'clustered',
]);

function checkKey(key: Document): void {
  const entries = Object.entries(key);
  if (entries.length === 0) fail('CannotCreateIndex', 'Index keys cannot be an empty object');
  for (const [path, kind] of entries) {
    if (path === '' || path.startsWith('.') || path.endsWith('.')) {
      fail(
        'CannotCreateIndex',
        'Index key contains an illegal field name: field name is empty or has an empty part',
      );
    }
    if (typeof kind === 'string') {
      if (!KINDS.has(kind)) fail('CannotCreateIndex', `Unknown index plugin '${kind}'`);
    } else if (!(Math.abs(Number(kind)) > 0)) {
      fail(
        'CannotCreateIndex',
        'Values in v:2 index key pattern cannot be of type other than number > 0, number < 0 or string',
      );
    }
  }
}

/** An index specification as it is stored and listed. Throws CannotCreateIndex and its relatives. */
export function readIndexSpec(given: Document, collection: CollectionMeta): Document {
  const { key, name } = given;
  if (!isDocument(key))
    return fail('FailedToParse', "The 'key' field is a required property of an index specification");
  if (typeof name !== 'string' || name === '') {
    return fail('FailedToParse', "The 'name' field is a required property of an index specification");
  }
  checkKey(key);
  for (const option of Object.keys(given)) {
    if (!OPTIONS.has(option)) {
      fail(
        'InvalidIndexSpecificationOption',
        `The field '${option}' is not valid for an index specification.`,
      );
    }
  }
  if (given['sparse'] === true && given['partialFilterExpression'] !== undefined) {
    fail('CannotCreateIndex', 'cannot mix "partialFilterExpression" and "sparse" options');
  }
  if (given['partialFilterExpression'] !== undefined) compileFilter(given['partialFilterExpression']);
  const spec: Document = { v: 2, key, name };
  for (const [option, value] of Object.entries(given)) {
    if (option === 'background' || option === 'v' || option === 'ns') continue;
    if ((option === 'unique' || option === 'sparse' || option === 'hidden') && value !== true) continue;
    spec[option] = value;
  }
  const collation = given['collation'] ?? collection.options['collation'];
  if (collation !== undefined && !isSimpleCollation(collation)) spec['collation'] = collation;
  else delete spec['collation'];
  return spec;
}

const sameKey = (a: Document, b: Document): boolean =>
  Object.keys(a).join() === Object.keys(b).join() && equalValues(a, b);

const essence = ({ v: _v, name: _name, ...rest }: Document): Document => rest;

const sortMembers = (document: Document): Document =>
  Object.fromEntries(Object.entries(document).sort(([a], [b]) => (a < b ? -1 : 1)));

const sameOptions = (a: Document, b: Document): boolean =>
  equalValues(sortMembers(essence(a)), sortMembers(essence(b)));

/** Whether the index is there already. Throws IndexOptionsConflict or IndexKeySpecsConflict for one like it. */
export function isKnownIndex(collection: CollectionMeta, spec: Document): boolean {
  for (const { spec: known } of collection.indexes) {
    const named = known['name'] === spec['name'];
    const alike =
      sameKey(known['key'], spec['key']) &&
      equalValues(known['collation'] ?? null, spec['collation'] ?? null);
    if (alike && (known['name'] === '_id_' || sameOptions(known, spec))) {
      if (named || known['name'] === '_id_') return true;
      fail('IndexOptionsConflict', `Index already exists with a different name: ${known['name']}`);
    }
    if (named) {
      fail(
        'IndexKeySpecsConflict',
        `An existing index has the same name as the requested index. Requested index: ${JSON.stringify(spec)}, existing index: ${JSON.stringify(known)}`,
      );
    }
    const samePartial = equalValues(
      known['partialFilterExpression'] ?? null,
      spec['partialFilterExpression'] ?? null,
    );
    if (alike && samePartial) {
      fail(
        'IndexOptionsConflict',
        `An equivalent index already exists with a different name and options. Requested index: ${JSON.stringify(spec)}, existing index: ${JSON.stringify(known)}`,
      );
    }
  }
  return false;
}
