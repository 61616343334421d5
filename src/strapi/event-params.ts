import { isDeepStrictEqual } from 'node:util';
import type { ContentType, Model, Schema } from '../schema/types.js';
import { isObject, isPlainObject, objectAt, type PlainObject } from '../values/plain-object.js';
import type { Values } from './types.js';
import { fail, Unsupported } from './unsupported.js';
import { filtersOf, partsOf, populateOf, targetNamed } from './where.js';

interface Of {
  readonly type: ContentType;
  readonly schema: Schema;
  readonly defaultLocale: string;
  readonly isRead: boolean;
  readonly isRequest: boolean;
}

const texts = (value: unknown): readonly string[] =>
  (Array.isArray(value) ? value : [value]).flatMap((one) =>
    String(one)
      .split(',')
      .map((part) => part.trim()),
  );

/** `fields` as `select`: ids are always read. */
const selectOf = (fields: unknown, model: Model): readonly string[] | undefined =>
  fields === undefined || fields === null || fields === '*'
    ? undefined
    : [...new Set(['id', ...(model.modelType === 'contentType' ? ['documentId'] : []), ...texts(fields)])];

/** `sort` as `orderBy`: `owner.name:desc` is `{ owner: { name: 'desc' } }`. */
function orderByOf(sort: unknown): unknown {
  if (typeof sort === 'string')
    return texts(sort).map((one) => {
      const [path = '', direction = 'asc'] = one.split(':');
      return path.split('.').reduceRight<unknown>((inner, name) => ({ [name]: inner }), direction);
    });
  return Array.isArray(sort)
    ? sort.flatMap((one) => (typeof one === 'string' ? orderByOf(one) : [one]))
    : sort;
}

const isTrue = (value: unknown): boolean =>
  value === true || value === 'true' || value === 't' || value === '1';

/** `populate` as the query engine has it. */
function populateSeen(populate: unknown, model: Model, schema: Schema): unknown {
  if (populate === '*' || populate === true) return true;
  if (typeof populate === 'string' || Array.isArray(populate)) return [...new Set(texts(populate))];
  if (!isPlainObject(populate)) return populate;
  return Object.fromEntries(
    Object.entries(populate).flatMap(([name, inner]): [string, unknown][] => {
      if (!isPlainObject(inner)) return isTrue(inner) ? [[name, true]] : [];
      const target = targetNamed(name, model, schema);
      if (target) return [[name, shownParams(inner, target, schema)]];
      const { on, ...rest } = inner;
      return [
        [
          name,
          {
            ...rest,
            ...('populate' in rest && { populate: rest['populate'] === '*' || rest['populate'] }),
            ...(isObject(on) && { on: partsOf(on, schema, shownParams) }),
          },
        ],
      ];
    }),
  );
}

const everyRelation = ({ attributes }: ContentType): Values =>
  Object.fromEntries(
    [...attributes.values()].flatMap(({ kind, name, system, private: isPrivate }) =>
      kind === 'scalar' || system || isPrivate ? [] : [[name, true]],
    ),
  );

/** Parameters by the names and in the forms of the query engine, of a call or inside `populate`. */
function shownParams(params: PlainObject, model: Model, schema: Schema): Values {
  const { filters, fields, sort, start, limit, populate, ...rest } = params;
  const select = selectOf(fields, model);
  const hasLimit = limit !== undefined && limit !== null && Number(limit) !== -1;
  return {
    ...rest,
    ...(filters !== undefined && { where: filters }),
    ...(select && { select }),
    ...(sort !== undefined && { orderBy: orderByOf(sort) }),
    ...(populate !== undefined && { populate: populateSeen(populate, model, schema) }),
    ...(start !== undefined && { offset: Number(start) }),
    ...(hasLimit && { limit: Number(limit) }),
  };
}

/** The members of a call that its event has as well. */
const SHARED = ['filters', 'fields', 'sort', 'start', 'limit', 'populate', '_q', 'locale', 'data'];

/** What the version and the locale of a read say in its `where`. */
function lookupOf(params: PlainObject, { type, defaultLocale }: Of): Values {
  const { status, locale = defaultLocale } = params;
  return {
    ...(type.draftAndPublish && { publishedAt: { [status === 'published' ? '$notNull' : '$null']: true } }),
    ...(type.localized && locale !== '*' && { locale }),
  };
}

/** Parameters of the Document Service as those of a lifecycle, which are those of a query. */
export function eventParams(given: object, of: Of): Values {
  const { isRead } = of;
  const params: PlainObject = { ...given };
  const { documentId } = params;
  const { where: filters, ...shown } = shownParams(
    Object.fromEntries(
      SHARED.filter((name) => params[name] !== undefined).map((name) => [name, params[name]]),
    ),
    of.type,
    of.schema,
  );
  // Accounts and files are written by queries of their own.
  const hasWhere = isRead || of.type.origin === 'api';
  const asked = Array.isArray(filters) ? { $and: filters } : objectAt(filters);
  return {
    ...(isRead && of.type.localized && { locale: of.defaultLocale }),
    ...shown,
    // As in Strapi, which attributes `*` of a request means is known by then.
    ...(shown['populate'] === true && of.isRequest && { populate: everyRelation(of.type) }),
    ...(hasWhere && {
      where: {
        ...(isRead && lookupOf(params, of)),
        ...asked,
        ...(isRead && documentId !== undefined && { documentId }),
      },
    }),
  };
}

const cannot = (what: string, { type }: Of): never =>
  fail(new Unsupported(`A lifecycle of ${type.uid} that ${what}`));

/** The version that `publishedAt` of a row says. */
function statusOf(publishedAt: unknown, of: Of): 'draft' | 'published' {
  if (publishedAt === null || isDeepStrictEqual(publishedAt, { $null: true })) return 'draft';
  if (isDeepStrictEqual(publishedAt, { $notNull: true })) return 'published';
  return cannot('changes publishedAt of a read to anything but $null or $notNull', of);
}

/** A changed `where` as parameters. What it no longer has of the version and the locale of the call stays as it was. */
function readParams(where: unknown, given: PlainObject, of: Of): Values {
  const { documentId, ...all } = objectAt(where);
  const filters: Values = { ...all };
  const params: Values = {};
  for (const [name, value] of Object.entries(lookupOf(given, of)))
    if (!(name in filters) || isDeepStrictEqual(filters[name], value)) delete filters[name];
  const asked = objectAt(given['filters']);
  if (of.type.draftAndPublish && 'publishedAt' in filters && !('publishedAt' in asked)) {
    params['status'] = statusOf(filters['publishedAt'], of);
    delete filters['publishedAt'];
  }
  if (of.type.localized && typeof filters['locale'] === 'string' && !('locale' in asked)) {
    params['locale'] = filters['locale'];
    delete filters['locale'];
  }
  if (given['documentId'] === undefined) {
    if (documentId !== undefined) filters['documentId'] = documentId;
  } else if (typeof documentId === 'string') params['documentId'] = documentId;
  else cannot('takes documentId out of where', of);
  return { ...params, filters: filtersOf(filters, of.type, of.schema) };
}

/**
 * The parameters of a call as lifecycles left those of its event. What they did not change is as it was given.
 * @param before those of the event, as they were
 * @param after as they are now
 */
export function changedParams(given: object, before: Values, after: Values, of: Of): Values {
  const { type, schema, isRead } = of;
  const isChanged = (name: string): boolean => !isDeepStrictEqual(before[name], after[name]);
  const params: Values = { ...given };
  if (isChanged('select')) params['fields'] = after['select'] === '*' ? undefined : after['select'];
  if (isChanged('populate')) params['populate'] = populateOf(after['populate'], type, schema);
  if (!isRead) return params;
  for (const [theirs, ours] of [
    ['orderBy', 'sort'],
    ['offset', 'start'],
    ['limit', 'limit'],
    ['_q', '_q'],
  ] as const)
    if (isChanged(theirs)) params[ours] = after[theirs];
  if (isChanged('where')) Object.assign(params, readParams(after['where'], params, of));
  const { filters } = after;
  if (typeof filters === 'function') cannot('adds a function as filters', of);
  if (isObject(filters))
    params['filters'] = { $and: [params['filters'] ?? {}, filtersOf(filters, type, schema)] };
  return params;
}
