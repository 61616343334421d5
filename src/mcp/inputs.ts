/** Arguments of tools, described by the schemas of the API's contract where possible. */
import {
  anyOf,
  arrayOf,
  booleanSchema,
  objectSchema,
  stringSchema,
} from '../describe/contract/json-schema.js';
import type { Schemas } from '../describe/contract/types.js';
import { PUBLICATION_FILTERS } from '../query/read-plan.js';
import type { KnownType } from './catalogue.js';

const namesOf = (types: readonly KnownType[]): readonly string[] => types.map(({ type }) => type.uid);

export const typeInput = (types: readonly KnownType[]): Schemas => ({
  type: { ...stringSchema, enum: namesOf(types), description: 'The content type, as listed by list_types' },
});

const isList = ({ type }: KnownType): boolean => type.kind === 'collectionType';

/** A single type has one document, which needs no id. */
export const documentInput = (types: readonly KnownType[]): Schemas =>
  types.some(isList)
    ? {
        documentId: {
          ...stringSchema,
          description: types.every(isList)
            ? 'The documentId of the document'
            : 'The documentId of the document; omit it for a single type',
        },
      }
    : {};

export const localeInput = (types: readonly KnownType[], description: string): Schemas =>
  types.some(({ type }) => type.localized) ? { locale: { ...stringSchema, description } } : {};

export const statusInput = (
  types: readonly KnownType[],
  standard: 'draft' | 'published',
  description: string,
): Schemas =>
  types.some(({ type }) => type.draftAndPublish)
    ? { status: { ...stringSchema, enum: ['draft', 'published'], default: standard, description } }
    : {};

/** What is returned of an entry. */
export const SHOWING: Schemas = {
  fields: {
    ...arrayOf(stringSchema),
    description: 'Names of the attributes to return; all if absent. id and documentId are always included',
  },
  populate: {
    ...anyOf(stringSchema, arrayOf(stringSchema), objectSchema),
    description:
      'Relations, media, components and dynamic zones are returned only if populated: "*" for one level, ' +
      'names and paths such as ["author", "seo.image"], or an object with options for each: ' +
      '{"author": {"fields": ["name"], "filters": {…}, "sort": "name", "populate": {…}}}. ' +
      'For a dynamic zone: {"blocks": {"on": {"shared.quote": {"populate": "*"}}}}',
  },
};

export const FILTERS: Schemas = {
  filters: {
    ...objectSchema,
    description:
      'Conditions, all of which must hold: {"title": {"$containsi": "news"}, "author": {"name": {"$eq": "Ann"}}}, with $and, $or, $not ' +
      'around conditions. A plain value means $eq. list_types lists the operators',
  },
};

/** Filters by the other version of an entry. */
export const siblingsInput = (types: readonly KnownType[]): Schemas =>
  types.some(({ type }) => type.draftAndPublish)
    ? {
        publicationFilter: {
          ...stringSchema,
          enum: PUBLICATION_FILTERS,
          description: 'Filters entries by the state of their other version',
        },
      }
    : {};

/** A parameter of lists as the contract describes it, which includes the maximum page size. */
const parameterOf = (types: readonly KnownType[], wanted: string): Schemas => {
  const parameters = types.flatMap(({ operations }) => operations.get('find')?.parameters ?? []);
  const schema = parameters.find(({ name }) => name === wanted)?.schema;
  return schema ? { [wanted]: schema } : {};
};

export const listingInput = (types: readonly KnownType[]): Schemas => ({
  ...FILTERS,
  sort: {
    ...anyOf(stringSchema, arrayOf(stringSchema)),
    description: 'Attributes, each with :asc or :desc: ["publishedAt:desc", "author.name"]',
  },
  ...parameterOf(types, 'pagination'),
  _q: { ...stringSchema, description: 'Text to search for in all string attributes' },
});

export const DRY_RUN: Schemas = {
  dryRun: {
    ...booleanSchema,
    default: false,
    description:
      'Runs every check without storing anything: the response lists the documents that would change, with the values before and after',
  },
};
