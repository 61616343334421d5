import type { Document } from 'bson';
import { fail } from '../errors.js';
import { compileFields, type FieldReader, type Fields } from '../options/read-fields.js';

const flag = 'boolean or number';

/** The options of an index, by MongoDB's interface definition. */
export const INDEX_FIELDS: Fields = {
  v: 'int',
  key: 'object',
  name: 'string',
  ns: 'any',
  background: flag,
  unique: flag,
  hidden: flag,
  partialFilterExpression: 'object',
  sparse: flag,
  expireAfterSeconds: 'any',
  storageEngine: 'object',
  weights: 'string or object',
  default_language: 'string',
  language_override: 'string',
  textIndexVersion: 'int',
  '2dsphereIndexVersion': 'int',
  bits: 'int',
  min: 'double',
  max: 'double',
  bucketSize: 'double',
  collation: 'object',
  wildcardProjection: 'object',
  coarsestIndexedLevel: 'int',
  finestIndexedLevel: 'int',
  dropDups: flag,
  originalSpec: 'object',
  clustered: flag,
  prepareUnique: flag,
};

/** Options that say nothing about the index as it is kept. */
export const FORGOTTEN: ReadonlySet<string> = new Set(['background', 'v', 'ns', 'dropDups', 'originalSpec']);
/** Options that are kept where they are true. */
export const FLAGS: ReadonlySet<string> = new Set([
  'unique',
  'sparse',
  'hidden',
  'clustered',
  'prepareUnique',
]);
/** What the specification of an index on `_id` may have. */
export const ID_FIELDS: ReadonlySet<string> = new Set(['key', 'name', 'v', 'ns', 'collation']);

/** Reads an index specification's options. Throws InvalidIndexSpecificationOption for an unknown one. */
export const readIndexFields: FieldReader = compileFields(INDEX_FIELDS, {
  context: 'createIndexes.indexes',
  unknown: (name) =>
    fail('InvalidIndexSpecificationOption', `The field '${name}' is not valid for an index specification.`),
});

/** The same without what no index has: `ignoreUnknownIndexOptions`. */
export const knownIndexFields = (given: Document): Document =>
  Object.fromEntries(Object.entries(given).filter(([name]) => Object.hasOwn(INDEX_FIELDS, name)));
