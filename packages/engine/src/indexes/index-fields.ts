import type { Document } from 'bson';
import { fail } from '../errors.js';
import { compileFields, type FieldReader, type FieldRule } from '../options/read-fields.js';

/** An option of an index: its type, and how it is used. */
export interface IndexOption extends FieldRule {
  /** It is not stored as given, or only if true; stored as given if absent. */
  readonly stored?: 'never' | 'if true';
  /** Allowed for an index on `_id`. */
  readonly ofId?: true;
  /** Two indexes that differ in it are different indexes: it decides which documents they include, and how often. */
  readonly decides?: true;
  /** The version since which `collMod` can change it. */
  readonly changes?: number;
}

const FLAG = { type: 'boolean or number', stored: 'if true' } as const;

/** The options of an index, according to MongoDB's interface definition. */
export const INDEX_OPTIONS: Readonly<Record<string, IndexOption>> = {
  v: { type: 'int', ofId: true },
  key: { type: 'object', ofId: true },
  name: { type: 'string', ofId: true },
  ns: { type: 'any', stored: 'never', ofId: true },
  background: { type: 'boolean or number', stored: 'never' },
  unique: { ...FLAG, decides: true, changes: 6 },
  hidden: { ...FLAG, changes: 5 },
  partialFilterExpression: { type: 'object', decides: true },
  sparse: { ...FLAG, decides: true },
  expireAfterSeconds: { type: 'any', changes: 5 },
  storageEngine: { type: 'object' },
  weights: { type: 'string or object' },
  default_language: { type: 'string' },
  language_override: { type: 'string' },
  textIndexVersion: { type: 'int' },
  '2dsphereIndexVersion': { type: 'int' },
  bits: { type: 'int' },
  min: { type: 'double' },
  max: { type: 'double' },
  bucketSize: { type: 'double' },
  collation: { type: 'object', ofId: true, decides: true },
  wildcardProjection: { type: 'object', decides: true },
  coarsestIndexedLevel: { type: 'int' },
  finestIndexedLevel: { type: 'int' },
  dropDups: { type: 'boolean or number', stored: 'never' },
  originalSpec: { type: 'object', stored: 'never' },
  clustered: FLAG,
  prepareUnique: { ...FLAG, changes: 6 },
};

const optionsWhere = (has: (option: IndexOption) => boolean): string[] =>
  Object.keys(INDEX_OPTIONS).filter((name) => has(INDEX_OPTIONS[name] as IndexOption));

/** Options that distinguish indexes, besides their keys. */
export const DECIDING = optionsWhere(({ decides }) => decides === true);

/** Options that `collMod` changes. */
export const INDEX_CHANGES = optionsWhere(({ changes }) => changes !== undefined);

/** Reads an index specification's options. Throws InvalidIndexSpecificationOption for an unknown one. */
export const readIndexFields: FieldReader = compileFields(INDEX_OPTIONS, {
  context: 'createIndexes.indexes',
  unknown: (name) =>
    fail('InvalidIndexSpecificationOption', `The field '${name}' is not valid for an index specification.`),
});

/** Reads the changes that `collMod` makes to an index. Throws 40415 for what it cannot change. */
export const readIndexChange: FieldReader = compileFields(
  {
    name: 'string',
    keyPattern: 'object',
    ...Object.fromEntries(
      INDEX_CHANGES.map((name) => {
        const { type, changes } = INDEX_OPTIONS[name] as IndexOption;
        return [name, { type, since: changes }];
      }),
    ),
  },
  { context: 'collMod.index' },
);

/** Throws InvalidIndexSpecificationOption for options that are not allowed for an index on `_id`. */
export function checkIdFields(given: Document): void {
  const odd = Object.keys(given).find((name) => INDEX_OPTIONS[name]?.ofId !== true);
  if (odd !== undefined)
    fail(
      'InvalidIndexSpecificationOption',
      `The field '${odd}' is not valid for an _id index specification.`,
    );
}

/** What is stored of an index's options. */
export const storedOptions = (options: Document): Document =>
  Object.fromEntries(
    Object.entries(options).filter(([name, value]) => {
      const stored = INDEX_OPTIONS[name]?.stored;
      return stored !== 'never' && !(stored === 'if true' && value === false);
    }),
  );

/** The same options without `ignoreUnknownIndexOptions`, which belongs to no index. */
export const knownIndexFields = (given: Document): Document =>
  Object.fromEntries(Object.entries(given).filter(([name]) => Object.hasOwn(INDEX_OPTIONS, name)));
