import { errors } from '../../errors.js';
import { type Viewer, visibleNamed } from '../../query/attributes.js';
import { targetOf } from '../../schema/find.js';
import type { Attribute, ContentType, Model, Schema } from '../../schema/types.js';
import { asText } from '../../values/as-text.js';
import { isObject } from '../../values/plain-object.js';
import type { OldIds } from './v3-ids.js';
import { nameOf } from './v3-names.js';

type Raw = Record<string, unknown>;

/** Operators of Strapi 3, by the suffix of the key. */
const OPERATORS: ReadonlyMap<string, string> = new Map([
  ['eq', '$eq'],
  ['ne', '$ne'],
  ['lt', '$lt'],
  ['gt', '$gt'],
  ['lte', '$lte'],
  ['gte', '$gte'],
  ['in', '$in'],
  ['nin', '$notIn'],
  ['contains', '$containsi'],
  ['ncontains', '$notContainsi'],
  ['containss', '$contains'],
  ['ncontainss', '$notContains'],
  ['null', '$null'],
]);

const NEGATIVE = new Set(['$ne', '$notIn', '$notContains', '$notContainsi']);

const DEFAULT_LIMIT = 100;
/** For `_limit=-1` and `_limit=0`; `rest.maxLimit` lowers it. */
const NO_LIMIT = 1_000_000_000;

/** What translating a query or body needs. */
export interface Ask3 {
  readonly schema: Schema;
  readonly ids: OldIds;
}

/** The same with the caller. */
interface Query3 extends Ask3 {
  readonly viewer: Viewer;
}

/** Translates a query of Strapi 3 to Strapi 5. */
export function queryV3(ask: Query3, type: ContentType, given: Readonly<Raw>): Raw {
  const query: Raw = {};
  const filters: Raw[] = [];
  for (const [key, value] of Object.entries(given)) {
    const known = Object.hasOwn(PARAMETERS, key) ? PARAMETERS[key] : undefined;
    if (known) known({ query, ask, type, filters }, value);
    else filters.push(filterV3(ask, type, key, value));
  }
  if (type.kind === 'collectionType') {
    const { start, limit = DEFAULT_LIMIT } = query;
    query['pagination'] = { start: start ?? 0, limit: Number(limit) <= 0 ? NO_LIMIT : limit };
  }
  delete query['start'];
  delete query['limit'];
  return { ...query, ...(filters.length > 0 && { filters: { $and: filters } }) };
}

interface Translation {
  readonly query: Raw;
  readonly ask: Query3;
  readonly type: ContentType;
  readonly filters: Raw[];
}

const PARAMETERS: Readonly<Record<string, (target: Translation, value: unknown) => void>> = {
  _limit: ({ query }, value) => {
    query['limit'] = integerIn(value, -1, 'convertLimitQueryParams');
  },
  _start: ({ query }, value) => {
    query['start'] = integerIn(value, 0, 'convertStartQueryParams');
  },
  _sort: ({ query, ask, type }, value) => {
    const sorts = asText(value)
      .split(',')
      .flatMap((part) => {
        const [key = '', direction = 'asc'] = part.trim().split(':');
        return sortV3(ask, type, key).map((name) => `${name}:${direction.toLowerCase()}`);
      });
    if (sorts.length > 0) query['sort'] = sorts;
  },
  _q: ({ query }, value) => {
    query['_q'] = value;
  },
  _locale: ({ query, type }, value) => {
    if (type.localized) query['locale'] = value === 'all' ? '*' : value;
  },
  _publicationState: ({ query, type }, value) => {
    if (value !== 'live' && value !== 'preview')
      throw refused('_publicationState', `Expected a value in live, preview. Got ${asText(value)} instead`);
    if (value === 'preview' && type.draftAndPublish) query['status'] = 'draft';
  },
  _where: ({ ask, type, filters }, value) => {
    filters.push(...whereV3(ask, type, value));
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
 * those of components or of nothing, are ignored, since MongoDB sorts by any name.
 */
function sortV3({ schema, viewer }: Query3, type: ContentType, key: string): readonly string[] {
  const steps: string[] = [];
  let model: Model | null = type;
  let attribute: Attribute | undefined;
  for (const step of key.split('.')) {
    const field: string = model ? nameOf(model, step, viewer) : '';
    attribute = model ? visibleNamed(model, field, viewer) : undefined;
    if (!attribute || attribute.kind === 'component' || attribute.kind === 'zone') return [];
    steps.push(field);
    model = targetOf(schema, attribute);
  }
  if (attribute?.kind === 'scalar') return [steps.join('.')];
  const isOne = attribute?.kind === 'relation' && !attribute.many && attribute.target !== null;
  return isOne ? [[...steps, 'documentId'].join('.')] : [];
}

/** `_where`: an object, a list of objects, or `_or` with nested lists. */
function whereV3(ask: Query3, type: ContentType, where: unknown): readonly Raw[] {
  if (Array.isArray(where)) return where.flatMap((one) => whereV3(ask, type, one));
  if (!isObject(where)) throw unknownField('_where');
  return Object.entries(where).map(([key, value]) => {
    if (/^\d+$/.test(key)) return { $and: whereV3(ask, type, value) };
    if (key !== '_or') return filterV3(ask, type, key, value);
    const ways = Array.isArray(value) ? value : isObject(value) ? Object.values(value) : [];
    return { $or: ways.map((way) => ({ $and: whereV3(ask, type, way) })) };
  });
}

/** Translates `chef.name_contains=x` to `{ chef: { name: { $containsi: 'x' } } }`. */
function filterV3(ask: Query3, type: ContentType, key: string, value: unknown): Raw {
  const path = key.split('.');
  const steps: string[] = [];
  let model: Model | undefined = type;
  for (const [at, step] of path.entries()) {
    if (!model) throw unknownField(key);
    const last = at === path.length - 1;
    const { name, operator } = last ? splitOperator(ask, model, step) : { name: step, operator: '$eq' };
    const field = nameOf(model, name, ask.viewer);
    const attribute: Attribute | undefined = visibleNamed(model, field, ask.viewer);
    if (!attribute) throw unknownField(key);
    steps.push(field);
    if (last) {
      const named = attribute.kind === 'relation' || attribute.kind === 'media' ? attribute : null;
      const place = named && operator !== '$null' ? [...steps, 'documentId'] : steps;
      const uid = named ? targetOf(ask.schema, named)?.uid : field === 'documentId' ? model.uid : undefined;
      const ids = uid !== undefined && operator !== '$null' ? idsIn(ask, uid, value) : value;
      // Of several values, one has to pass the test, also a negative one.
      const values = Array.isArray(ids) && !LISTS.has(operator) ? ids : [ids];
      const wanted = values.map((one) => nest(place, test(operator, one)));
      // In MongoDB, and so in Strapi 3, a missing value counts as different from the given one.
      return { $or: NEGATIVE.has(operator) ? [...wanted, nest(steps, { $null: true })] : wanted };
    }
    // In Strapi 3 components are in separate collections, which are not joined.
    if (attribute.kind === 'component' || attribute.kind === 'zone') throw unknownField(key);
    model = targetOf(ask.schema, attribute) ?? undefined;
  }
  return {};
}

/** In Strapi 3's words. */
const unknownField = (key: string) =>
  errors.validation(
    'key-invalid',
    `Your filters contain a field '${key}' that doesn't appear on your model definition nor its relations`,
    { key, path: key, source: 'query', param: 'filters' },
  );

/** Replaces old ids with documentIds. */
const idsIn = (ask: Ask3, uid: string, value: unknown): unknown =>
  Array.isArray(value)
    ? value.map((one) => idsIn(ask, uid, one))
    : typeof value === 'string'
      ? ask.ids.rowOf(uid, value).documentId
      : value;

function splitOperator(
  { viewer }: Query3,
  model: Model,
  step: string,
): { readonly name: string; readonly operator: string } {
  const at = step.lastIndexOf('_');
  const operator = OPERATORS.get(step.slice(at + 1));
  if (at <= 0 || operator === undefined || visibleNamed(model, step, viewer))
    return { name: step, operator: '$eq' };
  return { name: step.slice(0, at), operator };
}

const LISTS = new Set(['$in', '$notIn']);

const test = (operator: string, value: unknown): Raw => ({
  [operator]: LISTS.has(operator) ? [value].flat() : value,
});

const nest = (steps: readonly string[], inner: Raw): Raw =>
  steps.reduceRight<Raw>((below, step) => ({ [step]: below }), inner);
