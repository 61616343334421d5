/** Query parameters of content. */

import type { Config } from '../../config/types.js';
import { PUBLICATION_FILTERS } from '../../query/read-plan.js';
import type { ContentType } from '../../schema/types.js';
import type { Describing } from './describing.js';
import { filters } from './filters.js';
import {
  anyOf,
  arrayOf,
  booleanSchema,
  integerSchema,
  openObjectOf,
  schemaOrNull,
  stringSchema,
} from './json-schema.js';
import { fields, populate, sort } from './queries.js';
import type { JsonSchema, Parameter } from './types.js';

const parameterIn =
  (place: Parameter['in'], more: Pick<Parameter, 'style' | 'required'> = {}) =>
  (name: string, schema: JsonSchema, description: string): Parameter => ({
    name,
    in: place,
    ...more,
    description,
    schema,
  });
export const inPath = parameterIn('path', { required: true });
export const inHeader = parameterIn('header');
export const inQuery = parameterIn('query');
const nested = parameterIn('query', { style: 'deepObject' });

/** Defaults are given in words: type generators treat a member with a `default` as always present. */
const pagination = ({ config: { rest } }: Describing): JsonSchema =>
  openObjectOf(
    {
      page: { ...integerSchema, description: 'Page number, from 1' },
      pageSize: { ...integerSchema, description: sizeOf(rest) },
      start: { ...integerSchema, description: 'How many entries to skip, instead of `page`' },
      limit: { ...integerSchema, description: `With \`start\`: ${sizeOf(rest)}` },
      withCount: {
        ...booleanSchema,
        description: `Include the total; ${rest.withCount} if absent`,
      },
    },
    [],
  );

const sizeOf = ({ defaultLimit, maxLimit }: Config['rest']): string =>
  `Number of entries; ${defaultLimit} if absent${maxLimit === null ? '' : `, at most ${maxLimit}`}`;

export const populating = (type: ContentType, describing: Describing): Parameter =>
  nested('populate', populate(type, describing), 'Relations, media, components and zones to populate');

/** What is returned of an entry. */
export const showing = (type: ContentType, describing: Describing): readonly Parameter[] => [
  populating(type, describing),
  inQuery('fields', fields(type, describing), 'Attributes to return; all if absent'),
];

/** The version of a document. */
export const versions = (
  type: ContentType,
  writes: boolean,
  describing: Describing,
): readonly Parameter[] => [
  ...(type.draftAndPublish ? [statusParameter(type, writes, describing)] : []),
  ...(type.localized
    ? [writes ? inQuery('locale', stringSchema, LOCALE) : nested('locale', locales(describing), LOCALE)]
    : []),
  ...(writes ? [] : momentParameter(type, describing)),
];

const statusParameter = (type: ContentType, writes: boolean, describing: Describing): Parameter => {
  if (writes) return inQuery('status', status(describing), WRITTEN);
  return mayReadToCome(type, describing)
    ? inQuery('status', readStatus(describing), `${READ}; \`scheduled\` with \`at\`: as they will be then`)
    : inQuery('status', status(describing), READ);
};

const momentParameter = (type: ContentType, describing: Describing): readonly Parameter[] => {
  const past = type.history !== null && mayReadPast(type, describing);
  const toCome = mayReadToCome(type, describing);
  if (!past && !toCome) return [];
  const what = past ? 'The entries as they were at this time' : 'With `status=scheduled`: a time to come';
  return [inQuery('at', { ...stringSchema, format: 'date-time' }, what)];
};

const mayReadToCome = (
  { uid, draftAndPublish, storage }: ContentType,
  { form: { caller } }: Describing,
): boolean => draftAndPublish && !storage && (caller.grants?.allows(`${uid}.findScheduled`) ?? true);

const mayReadPast = ({ uid }: ContentType, { form: { caller } }: Describing): boolean =>
  caller.grants?.allows(`${uid}.findVersions`) ?? true;

const readStatus = ({ named }: Describing): JsonSchema =>
  named('ReadStatus', () => ({ ...stringSchema, enum: ['published', 'draft', 'scheduled'] }));

const status = ({ named }: Describing): JsonSchema =>
  named('Status', () => ({ ...stringSchema, enum: ['published', 'draft'] }));

const WRITTEN = '`draft` writes only the draft, which may be incomplete; otherwise it is also published';
const READ = 'Which version is read; the published one if absent';
const LOCALE = 'The locale; the default one if absent';
const locales = ({ named }: Describing): JsonSchema =>
  anyOf(
    { ...stringSchema, description: 'A locale, or `*` for all' },
    arrayOf(stringSchema),
    named('LocaleFilter', () => ({
      type: 'object',
      description: 'Operators on the locale, such as `$ne`',
    })),
  );

/** Filters by the other version of an entry. */
const siblings = ({ draftAndPublish }: ContentType, { named }: Describing): readonly Parameter[] =>
  draftAndPublish
    ? [
        inQuery(
          'publicationFilter',
          named('PublicationFilter', () => ({ ...stringSchema, enum: PUBLICATION_FILTERS })),
          'Filters entries by the state of their other version',
        ),
        { ...inQuery('hasPublishedVersion', booleanSchema, 'As `publicationFilter`'), deprecated: true },
      ]
    : [];

/** The parameters of lists. */
export const listing = (type: ContentType, describing: Describing): readonly Parameter[] => [
  nested('filters', schemaOrNull(filters(type, describing)), 'Conditions, all of which must hold'),
  nested('sort', sort(type, describing), 'Order; by `id` if absent'),
  ...siblings(type, describing),
  inQuery('_q', schemaOrNull(stringSchema), 'Text to search for in all string attributes'),
];

export const paging = (describing: Describing): Parameter =>
  parameterIn('query', { style: 'members' })('pagination', pagination(describing), 'The page of the list');

/** Conditions on a single entry. */
export const conditions = (type: ContentType, describing: Describing): readonly Parameter[] => [
  nested('filters', schemaOrNull(filters(type, describing)), 'Conditions that it must meet'),
  ...siblings(type, describing),
];

/** A list of entries in pages. */
export const pages = (type: ContentType, describing: Describing): readonly Parameter[] => [
  ...listing(type, describing),
  paging(describing),
  ...showing(type, describing),
];

/** A single entry. */
export const single = (type: ContentType, describing: Describing): readonly Parameter[] => [
  ...conditions(type, describing),
  ...showing(type, describing),
];
