/** Query parameters of content (rules A.7 to A.14). */
import { PUBLICATION_FILTERS } from '../../query/plan/publication.js';
import type { ContentType } from '../../schema/types.js';
import type { Describing } from './describing.js';
import { filters } from './filters.js';
import { anyOf, flag, integer, listOf, openRecord, orNull, text } from './json-schema.js';
import { fields, populate, sort } from './queries.js';
import type { JsonSchema, Parameter } from './types.js';

const nested = (name: string, schema: JsonSchema, description: string): Parameter => ({
  name,
  in: 'query',
  style: 'deepObject',
  description,
  schema,
});

const plain = (name: string, schema: JsonSchema, description: string): Parameter => ({
  name,
  in: 'query',
  description,
  schema,
});

const pagination = ({ named, config }: Describing): JsonSchema =>
  named('PaginationQuery', 'pagination query', () => ({
    // In words: a member with a `default` is one that makers of types take for always there.
    description: [
      `Either \`page\` and \`pageSize\`, or \`start\` and \`limit\`: ${config.rest.defaultLimit} from the first one unless said otherwise`,
      ...(config.rest.maxLimit === null ? [] : [`at most ${config.rest.maxLimit}`]),
    ].join(', '),
    ...openRecord(
      {
        page: integer,
        pageSize: integer,
        start: integer,
        limit: integer,
        withCount: {
          ...flag,
          description: `Count all that there are; ${config.rest.withCount} if absent`,
        },
      },
      [],
    ),
  }));

/** How the entry of an answer is shown. */
export const showing = (type: ContentType, describing: Describing): readonly Parameter[] => [
  nested('populate', populate(type, describing), 'Relations, media, components and zones to show'),
  nested('fields', fields(type, describing), 'Attributes to show; all if absent'),
];

/** Which version of a document is meant. */
export const versions = (type: ContentType, writes: boolean): readonly Parameter[] => [
  ...(type.draftAndPublish
    ? [
        plain(
          'status',
          { ...text, enum: ['published', 'draft'], default: 'published' },
          writes
            ? '`draft` writes the draft alone, which need not be complete; otherwise it is published too'
            : 'Which version is read',
        ),
      ]
    : []),
  ...(type.localized
    ? [
        nested(
          'locale',
          writes
            ? text
            : anyOf({ ...text, description: 'A locale, or `*` for all' }, listOf(text), LOCALE_TESTS),
          'The locale; the default one if absent',
        ),
      ]
    : []),
];

const LOCALE_TESTS: JsonSchema = { type: 'object', description: 'Operators on the locale, such as `$ne`' };

/** Which versions have a sibling (rules A.10). */
const siblings = (type: ContentType): readonly Parameter[] =>
  type.draftAndPublish
    ? [
        plain(
          'publicationFilter',
          { ...text, enum: PUBLICATION_FILTERS },
          'Entries by what there is of the other version',
        ),
        { ...plain('hasPublishedVersion', flag, 'As `publicationFilter`'), deprecated: true },
      ]
    : [];

/** What a list is asked by. */
export const listing = (type: ContentType, describing: Describing): readonly Parameter[] => [
  nested('filters', filters(type, describing), 'Conditions that all hold'),
  nested('sort', sort(type, describing), 'Order; by `id` if absent'),
  ...siblings(type),
  plain('_q', orNull(text), 'Text to look for in all attributes that hold text'),
];

export const paging = (describing: Describing): Parameter =>
  nested('pagination', pagination(describing), 'Which part of the list');

/** One entry may be asked for under a condition. */
export const conditions = (type: ContentType, describing: Describing): readonly Parameter[] => [
  nested('filters', filters(type, describing), 'Conditions that it must meet'),
  ...siblings(type),
];

export const inPath = (name: string, schema: JsonSchema, description: string): Parameter => ({
  name,
  in: 'path',
  required: true,
  description,
  schema,
});
