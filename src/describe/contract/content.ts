/** The routes of content types. */

import type { RefusalGroup } from '../../error-codes.js';
import type { ContentType } from '../../schema/types.js';
import type { BuiltIn } from './built-in/types.js';
import type { Describing } from './describing.js';
import { entry } from './entries.js';
import { input, type WriteKind } from './inputs.js';
import { arrayOf, integerSchema, objectOf, openObjectOf, schemaOrNull, stringSchema } from './json-schema.js';
import {
  conditions,
  inHeader,
  inPath,
  inQuery,
  pages,
  paging,
  showing,
  single,
  versions,
} from './parameters.js';
import type { ContentAction, JsonSchema, Parameter, RequestBody, ResponseDescription } from './types.js';

/** An operation without its path and content type. */
interface Described extends Omit<BuiltIn, 'id' | 'tag'> {
  /** The prefix of the operation's id, before the name of the type. */
  readonly verb: string;
  readonly parameters: readonly Parameter[];
  readonly groups: readonly RefusalGroup[];
}

export const jsonContent = (schema: JsonSchema): Readonly<Record<string, JsonSchema>> => ({
  'application/json': schema,
});

export const answered = (description: string, schema: JsonSchema): ResponseDescription => ({
  description,
  content: jsonContent(schema),
});

const enveloped = (data: JsonSchema, meta: JsonSchema): JsonSchema => objectOf({ data, meta });
const noMeta = ({ named }: Describing): JsonSchema => named('Meta', () => objectOf({}));
const pageMeta = (describing: Describing): JsonSchema =>
  describing.named('PageMeta', () => openObjectOf({ pagination: paginationMeta(describing) }, []));

/** Absent if the total is exact (docs/configuration.md, `database.totals`). */
const exactTotal: JsonSchema = {
  type: 'boolean',
  const: false,
  description: 'Counting took too long: the total is an earlier one or a lower bound',
};

/** Both styles of pagination; totals are absent with `withCount=false`. */
export const paginationMeta = ({ named }: Describing): JsonSchema =>
  named('Pagination', () =>
    objectOf(
      {
        page: integerSchema,
        pageSize: integerSchema,
        pageCount: integerSchema,
        start: integerSchema,
        limit: integerSchema,
        total: { ...integerSchema, description: 'Entries in all pages' },
        exact: exactTotal,
      },
      [],
    ),
  );

const one = (type: ContentType, describing: Describing): ResponseDescription =>
  answered(
    `The ${type.displayName}`,
    describing.ofModel(type, 'Response', () => enveloped(entry(type, describing), noMeta(describing))),
  );

const many = (type: ContentType, describing: Describing): ResponseDescription =>
  answered(
    `A page of ${type.displayName}`,
    describing.ofModel(type, 'ListResponse', () =>
      enveloped(arrayOf(entry(type, describing)), pageMeta(describing)),
    ),
  );

const GONE: ResponseDescription = { description: 'The document no longer exists, or never did' };

const REQUESTS = { create: 'CreateRequest', update: 'UpdateRequest' } as const;

const bodyOf = (type: ContentType, writing: WriteKind, describing: Describing): RequestBody => ({
  required: true,
  content: jsonContent(
    describing.ofModel(type, REQUESTS[writing], () =>
      openObjectOf({ data: input(type, writing, describing) }),
    ),
  ),
});

const UNCHANGED: ResponseDescription = { description: 'Unchanged since the answer that the client has' };

/** Reads have entity tags if `rest.etags` is set. */
const reading = ({ config: { rest } }: Describing): readonly Parameter[] =>
  rest.etags ? [inHeader('If-None-Match', stringSchema, 'Entity tags of answers that the client has')] : [];
const read = (answer: ResponseDescription, { config: { rest } }: Describing): Described['answers'] => ({
  200: answer,
  ...(rest.etags && { 304: UNCHANGED }),
});

const IF_MATCH = inHeader('If-Match', stringSchema, 'Revisions, one of which the document must have');
const IF_ABSENT = inHeader('If-None-Match', stringSchema, '`*`: only if there is no such entry yet');

export const IDEMPOTENCY_KEY = inHeader(
  'Idempotency-Key',
  stringSchema,
  'A quoted string, unique to this request; sent again, it gets the same answer',
);

const DOCUMENT_ID = inPath('documentId', stringSchema, 'The documentId');

const inPathOf = ({ kind }: ContentType): readonly Parameter[] =>
  kind === 'singleType' ? [] : [DOCUMENT_ID];

const VERSION = inPath('version', stringSchema, 'The `id` of a version');

const dateTime: JsonSchema = { ...stringSchema, format: 'date-time' };

/** A version as `…/versions` shows it. */
const version = (type: ContentType, describing: Describing): JsonSchema =>
  describing.ofModel(type, 'Version', () =>
    objectOf({
      id: stringSchema,
      status: { ...stringSchema, enum: ['draft', 'published'] },
      locale: schemaOrNull(stringSchema),
      event: {
        ...schemaOrNull(stringSchema),
        description: 'What made the entry so, such as `entry.update`; null if it was not seen',
      },
      from: dateTime,
      until: { ...schemaOrNull(dateTime), description: 'Null: it is still so' },
      removed: { ...schemaOrNull(stringSchema), description: 'What removed the entry after this version' },
      entry: entry(type, describing),
    }),
  );

/** What is to be done with a document, and when. */
const schedule = ({ named }: Describing): JsonSchema =>
  named('Schedule', () =>
    objectOf({
      id: stringSchema,
      action: { ...stringSchema, enum: ['publish', 'unpublish'] },
      documentId: stringSchema,
      locale: schemaOrNull(stringSchema),
      at: dateTime,
      state: {
        ...stringSchema,
        enum: ['waiting', 'failed'],
        description: '`failed`: it was refused when it was due, and is not tried again',
      },
      error: schemaOrNull(objectOf({ name: stringSchema, message: stringSchema })),
      createdAt: dateTime,
    }),
  );

type Describe = (type: ContentType, describing: Describing) => Described;

/** An action that can be scheduled. */
const changingLater =
  (verb: string, does: string, time: string): Describe =>
  (type, describing) => {
    const described = changing(verb, does)(type, describing);
    if (type.storage) return { ...described, codes: ['schedule-time-invalid', 'schedule-unsupported'] };
    const { parameters, answers } = described;
    return {
      ...described,
      parameters: [...parameters, inQuery(time, dateTime, 'When it is to be done; now if absent')],
      answers: {
        ...answers,
        202: answered('What is scheduled', enveloped(schedule(describing), noMeta(describing))),
      },
      codes: ['schedule-time-invalid'],
    };
  };

/** The cancelling of a scheduled action. */
const cancelling =
  (verb: string, what: string): Describe =>
  (type, describing) => ({
    verb,
    summary: `Cancel the scheduled ${what} of ${type.displayName}`,
    parameters: [
      ...inPathOf(type),
      ...versions(type, true, describing).filter(({ name }) => name === 'locale'),
      IF_MATCH,
      IDEMPOTENCY_KEY,
    ],
    answers: { 204: { description: 'It will not be done' } },
    groups: ['query', 'delete', 'revised', 'keyed', 'one'],
  });

/** An action on the versions of a document. */
const changing =
  (verb: string, does: string): Describe =>
  (type, describing) => ({
    verb,
    summary: `${does} ${type.displayName}`,
    parameters: [
      ...inPathOf(type),
      ...showing(type, describing),
      ...versions(type, true, describing).filter(({ name }) => name === 'locale'),
      IF_MATCH,
      IDEMPOTENCY_KEY,
    ],
    answers: { 200: one(type, describing) },
    groups: ['query', 'write', 'revised', 'keyed', 'one'],
  });

const ACTIONS: Readonly<Record<ContentAction, Describe>> = {
  find: (type, describing) =>
    type.kind === 'singleType'
      ? {
          verb: 'get',
          summary: `Read ${type.displayName}`,
          parameters: [
            ...single(type, describing),
            ...versions(type, false, describing),
            ...reading(describing),
          ],
          answers: read(one(type, describing), describing),
          groups: ['query', 'one'],
        }
      : {
          verb: 'list',
          summary: `List ${type.displayName}`,
          parameters: [
            ...pages(type, describing),
            ...versions(type, false, describing),
            ...reading(describing),
          ],
          answers: read(many(type, describing), describing),
          groups: ['query'],
        },
  findOne: (type, describing) => ({
    verb: 'get',
    summary: `Read one ${type.displayName}`,
    parameters: [
      DOCUMENT_ID,
      ...single(type, describing),
      ...versions(type, false, describing),
      ...reading(describing),
    ],
    answers: read(one(type, describing), describing),
    groups: ['query', 'one'],
  }),
  create: (type, describing) => ({
    verb: 'create',
    summary: `Create ${type.displayName}`,
    parameters: [
      ...showing(type, describing),
      ...versions(type, true, describing),
      IF_ABSENT,
      IDEMPOTENCY_KEY,
    ],
    body: bodyOf(type, 'create', describing),
    answers: { 201: one(type, describing) },
    groups: ['query', 'write', 'revised', 'keyed'],
  }),
  update: (type, describing) => ({
    verb: 'update',
    summary: `Change ${type.displayName}`,
    parameters: [
      ...inPathOf(type),
      ...showing(type, describing),
      ...versions(type, true, describing),
      IF_MATCH,
      IF_ABSENT,
      IDEMPOTENCY_KEY,
    ],
    body: bodyOf(type, 'update', describing),
    answers: { 200: one(type, describing) },
    // A missing single type is created.
    groups: ['query', 'write', 'revised', 'keyed', ...(type.kind === 'singleType' ? [] : (['one'] as const))],
  }),
  delete: (type, describing) => ({
    verb: 'delete',
    summary: `Delete ${type.displayName}`,
    parameters: [
      ...inPathOf(type),
      ...conditions(type, describing).filter(({ name }) => name === 'filters'),
      ...versions(type, false, describing).filter(({ name }) => name === 'locale'),
      IF_MATCH,
      IDEMPOTENCY_KEY,
    ],
    answers: { 204: GONE },
    groups: ['query', 'delete', 'revised', 'keyed'],
  }),
  publish: changingLater('publish', 'Publish the draft of', 'publishAt'),
  unpublish: changingLater('unpublish', 'Remove the published version of', 'unpublishAt'),
  discardDraft: changing('discardDraftOf', 'Replace the draft with the published version of'),
  findVersions: (type, describing) => ({
    verb: 'listVersionsOf',
    summary: `List the versions of ${type.displayName}`,
    parameters: [
      ...inPathOf(type),
      paging(describing),
      ...showing(type, describing),
      ...versions(type, false, describing).filter(({ name }) => name !== 'at'),
    ],
    answers: {
      200: answered(
        `A page of versions of ${type.displayName}, the newest first`,
        enveloped(arrayOf(version(type, describing)), pageMeta(describing)),
      ),
    },
    groups: ['query'],
    codes: ['versions-not-populated'],
  }),
  findVersion: (type, describing) => ({
    verb: 'getVersionOf',
    summary: `Read one version of ${type.displayName}`,
    parameters: [...inPathOf(type), VERSION, ...showing(type, describing)],
    answers: {
      200: answered(
        `A version of ${type.displayName}`,
        enveloped(version(type, describing), noMeta(describing)),
      ),
    },
    groups: ['query', 'one'],
  }),
  restore: (type, describing) => ({
    verb: 'restore',
    summary: `Make a version the draft of ${type.displayName} again`,
    parameters: [...inPathOf(type), VERSION, ...showing(type, describing), IF_MATCH, IDEMPOTENCY_KEY],
    answers: { 200: one(type, describing) },
    groups: ['query', 'write', 'revised', 'keyed', 'one'],
  }),
  findScheduled: (type, describing) => ({
    verb: 'listScheduled',
    summary: `List what is scheduled for ${type.displayName}`,
    parameters: [paging(describing)],
    answers: {
      200: answered(
        'A page of what is scheduled, the next one first',
        enveloped(arrayOf(schedule(describing)), pageMeta(describing)),
      ),
    },
    groups: ['query'],
  }),
  cancelPublish: cancelling('cancelPublish', 'publishing'),
  cancelUnpublish: cancelling('cancelUnpublish', 'unpublishing'),
};

/** Reads of what is published or drafted, which may have `at` and can be followed. */
const READS: ReadonlySet<ContentAction> = new Set<ContentAction>(['find', 'findOne']);

/** The description of an action on a type. */
export const describeContent = (
  type: ContentType,
  action: ContentAction,
  describing: Describing,
): BuiltIn => {
  const { verb, ...described } = ACTIONS[action](type, describing);
  const adopted: readonly RefusalGroup[] = [...describing.schema.contentTypes.values()].some(
    ({ storage }) => storage !== null,
  )
    ? ['adopted', 'adoptedWrite']
    : [];
  const { strictParams } = describing.config.documents;
  return {
    ...described,
    id: `${verb}${describing.nameOf(type)}`,
    tag: type.singularName,
    groups: [
      ...described.groups,
      ...(strictParams ? (['strict'] as const) : []),
      ...(READS.has(action) ? (['live'] as const) : []),
      ...(type.history && READS.has(action) ? (['history'] as const) : []),
      ...adopted,
    ],
  };
};
