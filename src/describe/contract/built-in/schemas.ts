/** The schemas themselves, and routes of other Strapi plugins. */
import { answered } from '../content.js';
import {
  arrayOf,
  booleanSchema,
  objectOf,
  objectSchema,
  openObjectOf,
  schemaOrNull,
  stringSchema,
} from '../json-schema.js';
import { inPath } from '../parameters.js';
import type { JsonSchema } from '../types.js';
import { bodyOf } from './auth.js';
import { type BuiltIn, type BuiltInTable, opOf } from './types.js';

/** Attributes by name, each as in its schema file. */
const attributes: JsonSchema = { type: 'object', additionalProperties: openObjectOf({ type: stringSchema }) };

const contentType = objectOf(
  {
    uid: stringSchema,
    plugin: stringSchema,
    apiID: stringSchema,
    schema: openObjectOf({
      draftAndPublish: booleanSchema,
      displayName: stringSchema,
      singularName: stringSchema,
      pluralName: stringSchema,
      description: stringSchema,
      pluginOptions: objectSchema,
      kind: { ...stringSchema, enum: ['collectionType', 'singleType'] },
      collectionName: stringSchema,
      attributes,
      visible: booleanSchema,
      restrictRelationsTo: schemaOrNull(arrayOf(stringSchema)),
    }),
  },
  ['uid', 'apiID', 'schema'],
);

const component = objectOf({
  uid: stringSchema,
  category: stringSchema,
  apiId: stringSchema,
  schema: openObjectOf(
    {
      displayName: stringSchema,
      description: stringSchema,
      icon: stringSchema,
      collectionName: stringSchema,
      pluginOptions: objectSchema,
      attributes,
    },
    ['displayName', 'description', 'attributes'],
  ),
});

const op = opOf('schemas');

const answer = (description: string, data: JsonSchema): BuiltIn['answers'] => ({
  200: answered(description, objectOf({ data })),
});

const UID = inPath('uid', stringSchema, 'The uid, `api::article.article` or `shared.seo`');

export const SCHEMAS: BuiltInTable = {
  'GET /content-type-builder/content-types': ({ named }) =>
    op('listContentTypes', 'List content types', {
      parameters: [
        { name: 'kind', in: 'query', schema: { ...stringSchema, enum: ['collectionType', 'singleType'] } },
      ],
      answers: answer('Content types', arrayOf(named('ContentTypeEntry', () => contentType))),
      codes: ['content-type-kind-invalid'],
    }),
  'GET /content-type-builder/content-types/:uid': ({ named }) =>
    op('getContentType', 'Read a content type', {
      parameters: [UID],
      answers: answer(
        'The content type',
        named('ContentTypeEntry', () => contentType),
      ),
      codes: ['content-type-not-found'],
    }),
  'GET /content-type-builder/components': ({ named }) =>
    op('listComponents', 'List components', {
      answers: answer('Components', arrayOf(named('ComponentEntry', () => component))),
    }),
  'GET /content-type-builder/components/:uid': ({ named }) =>
    op('getComponent', 'Read a component', {
      parameters: [UID],
      answers: answer(
        'The component',
        named('ComponentEntry', () => component),
      ),
      codes: ['component-not-found'],
    }),
  'POST /email': () =>
    op('sendEmail', 'Send an email', {
      tag: 'email',
      body: bodyOf(
        {
          to: stringSchema,
          subject: stringSchema,
          text: stringSchema,
          html: stringSchema,
          from: stringSchema,
          cc: stringSchema,
          bcc: stringSchema,
          replyTo: stringSchema,
        },
        ['to', 'subject', 'text'],
      ),
      answers: { 200: answered('Sent', objectOf({})) },
      codes: ['email-not-sent', 'fields-not-valid'],
    }),
};
