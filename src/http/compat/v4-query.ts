import { visibleNamed } from '../../query/attributes.js';
import { targetOf } from '../../schema/find.js';
import type { ContentType, Model } from '../../schema/types.js';
import { isObject } from '../../values/plain-object.js';
import { type Populating, populateV4 } from './v4-populate.js';
import { hasVersions, numberIn, type RowsOf } from './v4-rows.js';

type Raw = Record<string, unknown>;

/** What translating a query needs. */
interface Ask4 extends Populating {
  readonly rowOf: RowsOf;
  /** Null: no maximum. */
  readonly maxLimit: number | null;
}

/** Translates a v4 query to Strapi 5: `publicationState`, `locale=all`, and a `populate` of any form. */
export function queryV4(ask: Ask4, type: ContentType, given: Readonly<Raw>): Raw {
  const { publicationState, locale, populate, sort, filters: asked, pagination, ...rest } = given;
  const preview = publicationState === 'preview' && type.draftAndPublish;
  const filters = publicationState === 'preview' ? draftFilters(ask, type, asked) : asked;
  return {
    ...rest,
    ...(pagination !== undefined && { pagination: pageV4(ask, pagination) }),
    ...(sort !== undefined && { sort: preview ? sortV4(sort) : sort }),
    ...(preview ? draftsOnly(filters) : filters !== undefined && { filters }),
    ...(preview && { status: 'draft' }),
    ...(locale !== undefined && type.localized && { locale: locale === 'all' ? '*' : locale }),
    ...(populate !== undefined && { populate: populateV4(ask, type, populate) }),
  };
}

/** In v4 a `limit` of -1 is all that a page may have; Strapi 5 reads the text `-1` as 1. */
const pageV4 = ({ maxLimit }: Ask4, page: unknown): unknown =>
  isObject(page) && page['limit'] === '-1' ? { ...page, limit: maxLimit ?? Number.MAX_SAFE_INTEGER } : page;

/** In v4 ids grow with time. Here drafts have ids of their own, so the order by creation is used instead. */
const sortV4 = (sort: unknown): unknown => {
  if (Array.isArray(sort)) return sort.map(sortV4);
  return typeof sort === 'string' ? sort.replace(/(^|,)id(?=$|[:,])/g, '$1createdAt') : sort;
};

/** In v4 a draft is a row without `publishedAt`; here a published entry also has a draft. */
function draftsOnly(filters: unknown): Raw {
  if (!isObject(filters)) return filters === undefined ? {} : { filters };
  const { publishedAt, ...rest } = filters;
  const test = isObject(publishedAt) ? publishedAt['$null'] : undefined;
  if (test === undefined) return { filters };
  return {
    ...(Object.keys(rest).length > 0 && { filters: rest }),
    publicationFilter: test === 'true' || test === true ? 'never-published' : 'has-published-version',
  };
}

/**
 * Filters on drafts with documentIds and locales in place of ids, since drafts have ids of their own here.
 */
function draftFilters(names: Ask4, model: Model, filters: unknown): unknown {
  if (Array.isArray(filters)) return filters.map((one) => draftFilters(names, model, one));
  if (!isObject(filters)) return filters;
  const tests: unknown[] = [];
  const rest: Raw = {};
  for (const [key, value] of Object.entries(filters)) {
    const attribute = visibleNamed(model, key, names.viewer);
    if (key.startsWith('$')) rest[key] = draftFilters(names, model, value);
    else if (key === 'id' && model.modelType === 'contentType' && hasVersions(model))
      tests.push(...idTests(names, model.uid, value));
    else {
      const target = attribute && targetOf(names.schema, attribute);
      rest[key] = target ? draftFilters(names, target, value) : value;
    }
  }
  if (tests.length === 0) return rest;
  return { $and: [...(Object.keys(rest).length > 0 ? [rest] : []), ...tests] };
}

const NEGATIVE = new Set(['$ne', '$notIn']);
const BY_ID = new Set(['$eq', '$in', ...NEGATIVE]);

/** Operators other than these compare the ids of the drafts. */
function idTests(names: Ask4, uid: string, test: unknown): unknown[] {
  const tests = isObject(test) ? Object.entries(test) : [['$eq', test] as const];
  return tests.map(([operator, value]) => {
    const given = Array.isArray(value) ? value : isObject(value) ? Object.values(value) : [value];
    const ids = given.map(numberIn);
    if (!BY_ID.has(operator) || ids.includes(null)) return { id: { [operator]: value } };
    const rows = ids.map((id) => rowTest(names, uid, id ?? 0));
    return NEGATIVE.has(operator) ? { $not: { $or: rows } } : { $or: rows };
  });
}

function rowTest({ rowOf }: Ask4, uid: string, id: number): unknown {
  const row = rowOf(uid, id);
  if (!row) return { id: { $eq: id } };
  const { documentId, locale } = row;
  return { documentId: { $eq: documentId }, ...(locale !== null && { locale: { $eq: locale } }) };
}
