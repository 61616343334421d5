/** Several writes at once. */
import { answered, json } from '../content.js';
import { flag, integer, listOf, object, openRecord, orNull, record, text } from '../json-schema.js';
import type { JsonSchema } from '../types.js';
import { type BuiltInTable, opOf } from './types.js';

const NAMED = 'A documentId, or `$0.documentId` for the one of the first operation';

const OPERATION: JsonSchema = record(
  {
    action: {
      ...text,
      enum: ['create', 'update', 'upsert', 'delete', 'publish', 'unpublish', 'discardDraft'],
    },
    uid: { ...text, description: 'The content type, such as `api::article.article`' },
    plural: { ...text, description: 'The content type by its name in paths, in place of `uid`' },
    documentId: { ...text, description: NAMED },
    by: { ...text, description: 'Of `upsert`: the unique attribute by whose value the document is found' },
    data: { ...object, description: 'As for the action alone; texts may refer to earlier operations' },
    locale: { ...text, description: 'The locale; the default one if absent' },
    status: { ...text, enum: ['published', 'draft'] },
    ifMatch: { ...text, description: 'A revision or entity tag that the document must have' },
  },
  ['action'],
);

const OUTCOME: JsonSchema = record(
  {
    status: { ...integer, description: 'As for the action alone' },
    data: orNull({ ...object, description: 'The entry' }),
    error: { ...object, description: 'Why it failed, if `atomic` is false' },
    code: { ...text, description: 'The code of the error' },
  },
  ['status', 'data'],
);

const META: JsonSchema = openRecord(
  {
    dryRun: flag,
    changes: listOf(object, { description: 'What a dry run would change' }),
    note: text,
  },
  [],
);

export const BATCH: BuiltInTable = {
  'POST /batch': ({ named, config }) =>
    opOf('batch')('runBatch', 'Several writes, each with the permissions that it would need alone', {
      body: {
        required: true,
        content: json(
          record(
            {
              operations: listOf(
                named('BatchOperation', () => OPERATION),
                { minItems: 1, maxItems: config.rest.maxBatch },
              ),
              atomic: {
                ...flag,
                description: 'All are stored or none, the default; otherwise each by itself',
              },
              dryRun: { ...flag, description: 'Only says what would be stored' },
            },
            ['operations'],
          ),
        ),
      },
      answers: {
        200: answered(
          'What became of each operation, in their order',
          record({ data: listOf(named('BatchOutcome', () => OUTCOME)), meta: META }),
        ),
      },
      groups: ['guarded', 'query', 'write', 'delete', 'revised', 'one'],
      codes: [
        'batch-action-unavailable',
        'batch-malformed',
        'batch-reference-failed',
        'batch-reference-invalid',
        'batch-too-long',
        'content-type-unknown',
        'transaction-hooked',
        'transaction-in-place',
        'transaction-rule',
        'transaction-too-large',
        'upsert-ambiguous',
        'upsert-not-possible',
      ],
      credentials: ['apiToken', 'userToken'],
    }),
};
