import type { RenderedEntry } from '../documents/types.js';
import { schemaAttribute } from '../query/attributes.js';
import type { ContentType, Schema } from '../schema/types.js';
import { ADMIN_UID, LOCALE_UID, PERMISSION_UID, ROLE_UID } from '../schema/uids.js';
import { isPlainObject, objectAt, type PlainObject } from '../values/plain-object.js';
import { STORE_UID, storeRowsOf } from './core-store.js';
import type { Live } from './live.js';
import { localesOf } from './locales.js';
import { computedPermissions, withPermissions } from './permissions.js';
import { type RowParams, TypeRows } from './rows.js';
import { onlySelected, selectedNames } from './selected.js';
import type { Values } from './types.js';
import { refuse, withRefused } from './unsupported.js';
import { filtersOf, populateOf } from './where.js';

/** What reads of a row to be changed need of it. */
const IDENTITY = { fields: ['documentId', 'locale', 'publishedAt'] } as const;

/** @throws TypeError if there is no data, as in Strapi */
const dataOf = (action: string, params: unknown): Values => {
  const { data } = objectAt(params);
  if (!isPlainObject(data)) throw new TypeError(`${action} requires a data object`);
  return data;
};

/** One row is changed only by what says which. @throws TypeError if nothing does, as in Strapi */
const whereOf = (action: string, params: unknown): unknown => {
  const { where } = objectAt(params);
  if (Object.keys(Object(where)).length === 0) throw new TypeError(`${action} requires a where parameter`);
  return where;
};

/** `page` and `pageSize`, of 10 rows by default, as the query engine has them. */
function pageOf({ page = 1, pageSize = 10 }: PlainObject) {
  const [at, size] = [Number(page), Number(pageSize)];
  return {
    window: { start: Math.max(at - 1, 0) * size, limit: size },
    shown: (total: number) => ({ page: at, pageSize: size, pageCount: Math.ceil(total / size), total }),
  };
}

/** Runs a query inside the lifecycles of its name, which may change its parameters. */
export type Hooked = (
  uid: string,
  name: string,
  params: Values,
  query: (params: Values) => Promise<unknown>,
) => Promise<unknown>;

/** Makes a query with lifecycles of its own. */
type Named = <T>(name: string, query: (params: Values) => Promise<T>) => (given?: unknown) => Promise<T>;

/** The parameters of queries of a type, in the form of the Document Service. */
class QueryParams {
  constructor(
    private readonly type: ContentType,
    private readonly schema: Schema,
  ) {}

  filters(where: unknown): Values {
    return filtersOf(where, this.type, this.schema);
  }

  /** What is shown of a row. */
  shown({ select, populate }: Values): Values {
    return {
      ...(selectedNames(select) && { fields: selectedNames(select) }),
      ...(populate !== undefined && { populate: populateOf(populate, this.type, this.schema) }),
    };
  }

  /** Which rows: as in Strapi, `filters` as an object says the same as `where`, and both count. */
  criteria({ where, filters: more, _q }: Values): Pick<RowParams, 'filters' | '_q'> {
    if (typeof more === 'function') refuse('db.query with a function as filters');
    return {
      filters: more == null ? this.filters(where) : { $and: [this.filters(where), this.filters(more)] },
      ...(_q !== undefined && { _q }),
    };
  }

  all(params: Values): RowParams {
    return {
      ...this.criteria(params),
      ...this.shown(params),
      ...(params['orderBy'] !== undefined && { sort: params['orderBy'] }),
      ...(params['offset'] !== undefined && { start: params['offset'] }),
      ...(params['limit'] !== undefined && { limit: params['limit'] }),
    };
  }

  /** A row with what the parameters select. */
  only<T>(found: T, params: Values): T {
    return onlySelected(found, params, this.type, this.schema) as T;
  }
}

/** Reads by the names of Strapi's query engine. */
function readsOf(rows: TypeRows, params: QueryParams, named: Named) {
  const count = named('Count', (given) => rows.count(params.criteria(given)));
  const findMany = named('FindMany', async (given) => params.only(await rows.find(params.all(given)), given));
  const findOne = named('FindOne', async (given): Promise<RenderedEntry | null> => {
    const [found = null] = await rows.find({ ...params.all(given), start: given['offset'] ?? 0, limit: 1 });
    return params.only(found, given);
  });
  return {
    findMany,
    findOne,
    count,
    findWithCount: async (given: unknown = {}) => [await findMany(given), await count(given)],
    async findPage(given: unknown = {}) {
      const { page, pageSize, ...rest } = objectAt(given);
      const { window, shown: pagination } = pageOf({ page, pageSize });
      const asked = { ...rest, offset: window.start, limit: window.limit };
      const results = await findMany(asked);
      return { results, pagination: pagination(await count(asked)) };
    },
  };
}

/** `load` and `loadPages`: relations of a row that was read. */
function loadsOf(type: ContentType, findOne: ReturnType<typeof readsOf>['findOne']) {
  const load = async (entity: unknown, fields: unknown, populate: unknown = true): Promise<unknown> => {
    const { id } = objectAt(entity);
    if (id === undefined) throw new TypeError('Invalid load. Expected an entity with an id');
    const names = (Array.isArray(fields) ? fields : [fields]).map(String);
    for (const name of names)
      if (schemaAttribute(type, name)?.kind !== 'relation')
        throw new TypeError(`Invalid load. Expected ${name} to be a relational attribute`);
    const populated = Object.fromEntries(names.map((name) => [name, populate]));
    const entry = await findOne({ where: { id }, select: ['id'], populate: populated });
    if (!entry || !Array.isArray(fields)) return entry?.[names[0] ?? ''] ?? null;
    return Object.fromEntries(names.map((name) => [name, entry[name]]));
  };
  return {
    load,
    async loadPages(entity: unknown, field: unknown, given: unknown = {}) {
      const { page, pageSize, ...params } = objectAt(given);
      const { window, shown: pagination } = pageOf({ page, pageSize });
      const all = await load(entity, String(field), params);
      if (!Array.isArray(all))
        throw new TypeError(
          `Invalid load. Expected ${String(field)} to be an anyToMany relational attribute`,
        );
      const results = all.slice(window.start, window.start + window.limit);
      return { results, pagination: pagination(all.length) };
    },
  };
}

/** Writes by the names of Strapi's query engine. */
function writesOf(rows: TypeRows, params: QueryParams, named: Named) {
  /** The rows that a write is for. */
  const identified = (where: unknown, limit?: 1) =>
    rows.find({ ...IDENTITY, filters: params.filters(where), ...(limit && { limit }) });
  return {
    create: named('Create', async (given) =>
      params.only(await rows.create(dataOf('Create', given), params.shown(given)), given),
    ),
    createMany: named('CreateMany', async ({ data: list }) => {
      if (!Array.isArray(list)) throw new TypeError('CreateMany expects data to be an array');
      if (list.length === 0) throw new TypeError('Nothing to insert');
      const made = await rows.createMany(list);
      return { count: made.length, ids: made.map(({ id }) => id) };
    }),
    update: named('Update', async (given) => {
      const [row] = await identified(whereOf('Update', given), 1);
      return params.only(await rows.update(row, dataOf('Update', given), params.shown(given)), given);
    }),
    updateMany: named('UpdateMany', async (given) => {
      const data = dataOf('Update', given);
      if (Object.keys(data).length === 0) throw new TypeError('Update requires data');
      const found = await identified(given['where']);
      await rows.updateMany(found, data);
      return { count: found.length };
    }),
    delete: named('Delete', async (given) => {
      whereOf('Delete', given);
      const [row] = await rows.find({ ...params.all(given), fields: undefined, limit: 1 });
      const select = selectedNames(given['select']);
      return params.only(await rows.remove(row), { ...given, ...(select && { select: ['id', ...select] }) });
    }),
    deleteMany: named('DeleteMany', async (given) => {
      const found = await rows.find({ ...IDENTITY, ...params.criteria(given) });
      await rows.removeMany(found);
      return { count: found.length };
    }),
  };
}

/** Rows that no content type has; null if `uid` names one. */
function otherRows(live: () => Live, uid: string): Values | null {
  const { schema, access, locales } = live();
  if (uid === PERMISSION_UID) return computedPermissions(access);
  if (uid === LOCALE_UID) return localesOf(locales);
  if (uid === STORE_UID) return storeRowsOf(live);
  // The accounts of Strapi's admin panel are not here.
  if (uid === ADMIN_UID) refuse(`db.query('${uid}')`);
  if (schema.contentTypes.has(uid)) return null;
  // Strapi has no other types of the project; those of its own parts are not here.
  if (String(uid).startsWith('api::') || !String(uid).includes('::'))
    throw new Error(`Model ${uid} not found`);
  return refuse(`db.query('${uid}')`);
}

/** `strapi.db.query(uid)`: rows, by the names that Strapi's query engine uses. */
export const queryOf =
  (live: () => Live, hooked: Hooked) =>
  (uid: string): Values => {
    const other = otherRows(live, uid);
    if (other) return other;
    const { schema, access } = live();
    const rows = new TypeRows(live(), uid);
    const params = new QueryParams(rows.type, schema);
    const named: Named =
      <T>(name: string, query: (params: Values) => Promise<T>) =>
      (given: unknown = {}) =>
        hooked(uid, name, objectAt(given), query) as Promise<T>;
    const reads = readsOf(rows, params, named);
    const methods = { ...reads, ...loadsOf(rows.type, reads.findOne), ...writesOf(rows, params, named) };
    return withRefused('db.query', uid === ROLE_UID ? withPermissions(access, methods) : methods, 'all');
  };
