import { errors } from '../../errors.js';
import { visibleNamed } from '../../query/attributes.js';
import { targetOf } from '../../schema/find.js';
import type { Attribute, ContentType, Model, Status } from '../../schema/types.js';
import { asText } from '../../values/as-text.js';
import { booleanIn } from './v3-cast.js';
import { type Clause, clausesIn, clauseV3, isReference, type Query3, unknownField } from './v3-filters.js';
import { nameOf } from './v3-names.js';

type Raw = Record<string, unknown>;

const DEFAULT_LIMIT = 100;
/** For `_limit=-1` and `_limit=0`; `rest.maxLimit` lowers it. */
const NO_LIMIT = 1_000_000_000;

/** Translates a query of Strapi 3 to Strapi 5. */
export function queryV3(ask: Query3, type: ContentType, given: Readonly<Raw>): Raw {
  const query: Raw = {};
  const clauses: Clause[] = [];
  for (const [key, value] of Object.entries(given)) {
    const known = Object.hasOwn(PARAMETERS, key) ? PARAMETERS[key] : undefined;
    if (known) known({ query, ask, type, clauses }, value);
    // Strapi 3 takes the underscore from other names.
    else clauses.push([key.replace(/^_/, ''), value]);
  }
  const filters = clauses.flatMap((clause) => {
    const { publicationFilter, status } = query['status'] === 'draft' ? versionsIn(clause) : {};
    if (status) query['status'] = status;
    if (publicationFilter === undefined) return [clauseV3(ask, type, clause)];
    query['publicationFilter'] = publicationFilter;
    return [];
  });
  if (type.kind === 'collectionType') {
    const { start, limit = DEFAULT_LIMIT } = query;
    query['pagination'] = { start: start ?? 0, limit: Number(limit) <= 0 ? NO_LIMIT : limit };
  }
  delete query['start'];
  delete query['limit'];
  return { ...query, ...(filters.length > 0 && { filters: { $and: filters } }) };
}

const DATE_TEST = /^published_at(?:_(eq|in|lte?|gte?|null))?$/;

/**
 * The versions for which a test of `published_at` may hold in a preview. A draft has no date here, unlike the one
 * entry of Strapi 3, so a test that takes a date is one of published versions.
 */
function versionsIn([key, value]: Clause): { readonly publicationFilter?: string; readonly status?: Status } {
  const [named, operator] = DATE_TEST.exec(key) ?? [];
  if (named === undefined) return {};
  if (operator !== 'null') return { status: 'published' };
  return { publicationFilter: booleanIn(key, value) ? 'never-published' : 'has-published-version' };
}

interface Translation {
  readonly query: Raw;
  readonly ask: Query3;
  readonly type: ContentType;
  readonly clauses: Clause[];
}

const PARAMETERS: Readonly<Record<string, (target: Translation, value: unknown) => void>> = {
  _limit: ({ query }, value) => {
    query['limit'] = integerIn(value, -1, 'convertLimitQueryParams');
  },
  _start: ({ query }, value) => {
    query['start'] = integerIn(value, 0, 'convertStartQueryParams');
  },
  _sort: ({ query, ask, type }, value) => {
    const directions = new Map<string, string>();
    for (const part of asText(value).split(',')) {
      const [key = '', direction = 'asc'] = part.trim().split(':');
      // Of a name given twice, the last direction counts, at the first place.
      for (const name of sortV3(ask, type, key)) directions.set(name, direction.toLowerCase());
    }
    if (directions.size > 0) query['sort'] = [...directions].map((sort) => sort.join(':'));
  },
  _q: ({ query }, value) => {
    query['_q'] = value;
  },
  _locale: ({ query, type }, value) => {
    if (!type.localized) throw unknownField('locale');
    query['locale'] = value === 'all' ? '*' : value;
  },
  _publicationState: ({ query, type }, value) => {
    if (value !== 'live' && value !== 'preview')
      throw refused('_publicationState', `Expected a value in live, preview. Got ${asText(value)} instead`);
    if (value === 'preview' && type.draftAndPublish) query['status'] = 'draft';
  },
  _where: ({ clauses }, value) => {
    clauses.push(...clausesIn(value));
  },
  _or: ({ clauses }, value) => {
    clauses.push(['_or', value]);
  },
};

const refused = (key: string, message: string) =>
  errors.validation('key-invalid', message, { key, path: key, source: 'query', param: key });

/** A number of the query. Strapi 3 refuses others with a 500. */
function integerIn(value: unknown, least: number, name: string): number {
  const number = typeof value === 'string' ? Number(value) : Number.NaN;
  if (Number.isInteger(number) && number >= least) return number;
  const key = least === 0 ? '_start' : '_limit';
  throw refused(key, `${name} expected a positive integer got ${asText(value)}`);
}

/**
 * The attribute that `_sort` names. A reference sorts by what it refers to; names without an order, such as
 * those of components or of nothing, are ignored, since MongoDB sorts by any name. One relation can be followed,
 * to a name that exists.
 */
function sortV3({ schema, viewer }: Query3, type: ContentType, key: string): readonly string[] {
  const path = key.split('.');
  if (path.length > 2)
    throw refused('_sort', `Sorting on ${key} is not possible: you cannot sort at a depth greater than 1`);
  const steps: string[] = [];
  let model: Model | null = type;
  let attribute: Attribute | undefined;
  for (const step of path) {
    const field: string = model ? nameOf(model, step, viewer) : '';
    attribute = model ? visibleNamed(model, field, viewer) : undefined;
    if (!attribute && path.length > 1) throw unknownField(key);
    steps.push(field);
    model = attribute && isReference(attribute) ? targetOf(schema, attribute) : null;
  }
  if (attribute?.kind === 'scalar') return [steps.join('.')];
  const isOne = attribute?.kind === 'relation' && !attribute.many && attribute.target !== null;
  return isOne ? [[...steps, 'documentId'].join('.')] : [];
}
