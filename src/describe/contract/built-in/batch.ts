/** Several writes at once. */
import { answered, IDEMPOTENCY_KEY, jsonContent } from '../content.js';
import {
  arrayOf,
  booleanSchema,
  integerSchema,
  objectOf,
  objectSchema,
  openObjectOf,
  schemaOrNull,
  stringSchema,
} from '../json-schema.js';
import type { JsonSchema } from '../types.js';
import { type BuiltInTable, opOf } from './types.js';

const NAMED = 'A documentId, or `$0.documentId` for the one of the first operation';

const OPERATION: JsonSchema = objectOf(
  {
    action: {
      ...stringSchema,
      enum: ['create', 'update', 'upsert', 'delete', 'publish', 'unpublish', 'discardDraft', 'restore'],
    },
    uid: { ...stringSchema, description: 'The content type, such as `api::article.article`' },
    plural: { ...stringSchema, description: 'The content type by its name in paths, in place of `uid`' },
    documentId: { ...stringSchema, description: NAMED },
    by: {
      ...stringSchema,
      description: 'Of `upsert`: the unique attribute by whose value the document is found',
    },
    data: { ...objectSchema, description: 'As for the action alone; texts may refer to earlier operations' },
    locale: { ...stringSchema, description: 'The locale; the default one if absent' },
    status: { ...stringSchema, enum: ['published', 'draft'] },
    publishAt: { ...stringSchema, format: 'date-time', description: 'Of `publish`: when, in place of now' },
    unpublishAt: { ...stringSchema, format: 'date-time', description: 'The same of `unpublish`' },
    version: { ...stringSchema, description: 'Of `restore`: the `id` of the version' },
    ifMatch: { ...stringSchema, description: 'A revision or entity tag that the document must have' },
  },
  ['action'],
);

const OUTCOME: JsonSchema = objectOf(
  {
    status: { ...integerSchema, description: 'As for the action alone' },
    data: schemaOrNull({ ...objectSchema, description: 'The entry' }),
    error: { ...objectSchema, description: 'Why it failed, if `atomic` is false' },
    code: { ...stringSchema, description: 'The code of the error' },
  },
  ['status', 'data'],
);

const META: JsonSchema = openObjectOf(
  {
    dryRun: booleanSchema,
    changes: arrayOf(objectSchema, { description: 'What a dry run would change' }),
    note: stringSchema,
  },
  [],
);

export const BATCH: BuiltInTable = {
  'POST /batch': ({ named, config }) =>
    opOf('batch')('runBatch', 'Several writes, each with the permissions that it would need alone', {
      parameters: [IDEMPOTENCY_KEY],
      body: {
        required: true,
        content: jsonContent(
          objectOf(
            {
              operations: arrayOf(
                named('BatchOperation', () => OPERATION),
                { minItems: 1, maxItems: config.rest.maxBatch },
              ),
              atomic: {
                ...booleanSchema,
                description: 'All are stored or none, the default; otherwise each by itself',
              },
              dryRun: { ...booleanSchema, description: 'Only says what would be stored' },
            },
            ['operations'],
          ),
        ),
      },
      answers: {
        200: answered(
          'What became of each operation, in their order',
          objectOf({ data: arrayOf(named('BatchOutcome', () => OUTCOME)), meta: META }),
        ),
      },
      groups: ['guarded', 'query', 'write', 'delete', 'revised', 'keyed', 'one'],
      codes: [
        'batch-action-unavailable',
        'batch-malformed',
        'batch-reference-failed',
        'batch-reference-invalid',
        'batch-too-long',
        'content-type-unknown',
        'schedule-time-invalid',
        'schedule-unsupported',
        'transaction-in-place',
        'transaction-rolled-back',
        'transaction-rule',
        'transaction-too-large',
        'upsert-ambiguous',
        'upsert-not-possible',
      ],
      credentials: ['apiToken', 'userToken'],
    }),
};
