/** The schemas themselves, and routes of other Strapi plugins. */
import { answered } from '../content.js';
import { flag, listOf, object, openRecord, orNull, record, text } from '../json-schema.js';
import { inPath } from '../parameters.js';
import type { JsonSchema } from '../types.js';
import { bodyOf } from './auth.js';
import { type BuiltIn, type BuiltInTable, opOf } from './types.js';

/** Attributes by name, each as in its schema file. */
const attributes: JsonSchema = { type: 'object', additionalProperties: openRecord({ type: text }) };

const contentType = record(
  {
    uid: text,
    plugin: text,
    apiID: text,
    schema: openRecord({
      draftAndPublish: flag,
      displayName: text,
      singularName: text,
      pluralName: text,
      description: text,
      pluginOptions: object,
      kind: { ...text, enum: ['collectionType', 'singleType'] },
      collectionName: text,
      attributes,
      visible: flag,
      restrictRelationsTo: orNull(listOf(text)),
    }),
  },
  ['uid', 'apiID', 'schema'],
);

const component = record({
  uid: text,
  category: text,
  apiId: text,
  schema: openRecord(
    {
      displayName: text,
      description: text,
      icon: text,
      collectionName: text,
      pluginOptions: object,
      attributes,
    },
    ['displayName', 'description', 'attributes'],
  ),
});

const op = opOf('schemas');

const answer = (description: string, data: JsonSchema): BuiltIn['answers'] => ({
  200: answered(description, record({ data })),
});

const UID = inPath('uid', text, 'The uid, `api::article.article` or `shared.seo`');

export const SCHEMAS: BuiltInTable = {
  'GET /content-type-builder/content-types': ({ named }) =>
    op('listContentTypes', 'List content types', {
      parameters: [
        { name: 'kind', in: 'query', schema: { ...text, enum: ['collectionType', 'singleType'] } },
      ],
      answers: answer('Content types', listOf(named('ContentTypeEntry', () => contentType))),
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
      answers: answer('Components', listOf(named('ComponentEntry', () => component))),
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
        { to: text, subject: text, text, html: text, from: text, cc: text, bcc: text, replyTo: text },
        ['to', 'subject', 'text'],
      ),
      answers: { 200: answered('Sent', record({})) },
      codes: ['email-not-sent', 'fields-not-valid'],
    }),
};
