import { KEBAB } from '../names.js';
import { INTEGER_FORMS, KEY_FORMS } from '../types.js';
import { attributeSchema, pluginOptions } from './meta-attribute.js';

/** JSON Schemas of single schema files. `check.ts` checks relations between files. */
const flag = { type: 'boolean' };
const text = { type: 'string' };
const kebab = { type: 'string', pattern: KEBAB.source, description: 'a kebab-case name such as "blog-post"' };
const names = { type: 'array', items: text };
const collectionName = {
  type: 'string',
  pattern: '^[A-Za-z][-_0-9A-Za-z]*$',
  maxLength: 200,
  description: 'a name of letters, digits, - and _ that begins with a letter',
};
const attributes = {
  type: 'object',
  propertyNames: {
    pattern: '^(?:_+\\p{N}|_*\\p{L})[_\\p{L}\\p{M}\\p{N}]*$',
    description: 'an attribute name of letters, digits and _ that begins with a letter or _',
  },
  additionalProperties: { $ref: attributeSchema.$id },
};
/** Sharded by `documentId`, or by a key that contains it. */
const shard = {
  anyOf: [
    flag,
    {
      type: 'object',
      required: ['documentId'],
      propertyNames: { enum: ['documentId', 'locale'] },
      additionalProperties: { const: 1 },
    },
  ],
};
const positive = { type: 'integer', minimum: 1 };
/** How long earlier versions are kept. */
const history = {
  type: 'object',
  minProperties: 1,
  properties: { days: positive, count: positive },
  additionalProperties: false,
};
/** The names of a type in Strapi 3 (`rest.compat: 'v3'`), as written by the import. */
const strapi3 = {
  type: 'object',
  properties: {
    globalId: text,
    timestamps: { anyOf: [{ const: false }, { ...names, minItems: 2, maxItems: 2 }] },
  },
  additionalProperties: false,
};
/**
 * The name or dotted path of a field. No part may be empty, begin with a dollar sign, or be the name of a
 * side field.
 */
const PATH = '^(?!_[frst]\\d|_sibling|_draft(?:\\.|$))(?!\\$)[^.\\0]+(\\.(?!\\$)[^.\\0]+)*$';
const path = {
  type: 'string',
  pattern: PATH,
  description: 'a field or a dotted path, no part of which is empty or begins with $',
};
/** As `path`, but may end in the `$id` of a DBRef. */
const fieldPath = { ...path, pattern: `${PATH.slice(0, -1)}(\\.\\$id)?$` };
const fieldPaths = { type: 'object', additionalProperties: fieldPath };
const paths = { type: 'object', additionalProperties: path };
/** Storage settings for adopted collections (decision 006). */
const integers = { type: 'object', additionalProperties: { enum: INTEGER_FORMS } };
const placed = { fields: fieldPaths, references: paths, lists: names, texts: names, integers };
const withStorage = (properties: object) =>
  pluginOptions({
    type: 'object',
    additionalProperties: false,
    properties: {
      storage: { type: 'object', additionalProperties: false, properties },
      seen: { type: 'object', additionalProperties: text },
      /** What an import changed in the file, by path. */
      changed: { type: 'object', additionalProperties: text },
    },
  });
const collection = {
  type: 'string',
  pattern: '^(?!system\\.)[^$\\0]+$',
  description: 'the name of a collection, without $ and not beginning with "system."',
};
const database = {
  type: 'string',
  pattern: '^[^/\\\\. "$*<>:|?\\0]+$',
  description: 'the name of a database',
};
const typeStorage = withStorage({
  ...placed,
  collection,
  database,
  id: { enum: KEY_FORMS },
  write: flag,
  timestamps: flag,
  drafts: flag,
});

export const contentTypeSchema = {
  type: 'object',
  required: ['info', 'attributes'],
  properties: {
    kind: { enum: ['collectionType', 'singleType'] },
    collectionName,
    info: {
      type: 'object',
      required: ['singularName', 'pluralName', 'displayName'],
      properties: { singularName: kebab, pluralName: kebab, displayName: { type: 'string', minLength: 1 } },
    },
    options: {
      type: 'object',
      properties: {
        draftAndPublish: flag,
        populateCreatorFields: flag,
        privateAttributes: names,
        shard,
        history,
        strapi3,
      },
    },
    pluginOptions: typeStorage,
    indexes: {
      type: 'array',
      items: {
        type: 'object',
        required: ['columns'],
        properties: { name: text, columns: { ...names, minItems: 1 }, type: { type: ['string', 'null'] } },
      },
    },
    attributes,
  },
};

export const componentSchema = {
  type: 'object',
  required: ['attributes'],
  properties: {
    collectionName,
    info: { type: 'object', properties: { displayName: text } },
    options: { type: 'object', properties: { privateAttributes: names } },
    pluginOptions: withStorage({ ...placed, id: path }),
    attributes,
  },
};

/**
 * `extensions/<plugin>/content-types/<name>/schema.json`; only its attributes and their privacy are read.
 */
export const extensionSchema = {
  type: 'object',
  required: ['attributes'],
  properties: { options: { type: 'object', properties: { privateAttributes: names } }, attributes },
};
