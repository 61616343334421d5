import type { RenderedEntry } from '../documents/types.js';
import { schemaAttribute } from '../query/attributes.js';
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

/** `strapi.db.query(uid)`: rows, by the names that Strapi's query engine uses. */
export const queryOf =
  (live: () => Live, hooked: Hooked) =>
  (uid: string): Values => {
    const { schema, access } = live();
    if (uid === PERMISSION_UID) return computedPermissions(access);
    if (uid === LOCALE_UID) return localesOf(live().locales);
    if (uid === STORE_UID) return storeRowsOf(live);
    // The accounts of Strapi's admin panel are not here.
    if (uid === ADMIN_UID) refuse(`db.query('${uid}')`);
    if (!schema.contentTypes.has(uid)) {
      // Strapi has no other types of the project; those of its own parts are not here.
      if (String(uid).startsWith('api::') || !String(uid).includes('::'))
        throw new Error(`Model ${uid} not found`);
      refuse(`db.query('${uid}')`);
    }
    const rows = new TypeRows(live(), uid);
    const { type } = rows;
    const shown = ({ select, populate }: Values): Values => ({
      ...(selectedNames(select) && { fields: selectedNames(select) }),
      ...(populate !== undefined && { populate: populateOf(populate, type, schema) }),
    });
    const filters = (where: unknown): Values => filtersOf(where, type, schema);
    /** Which rows: as in Strapi, `filters` as an object says the same as `where`, and both count. */
    const criteria = ({ where, filters: more, _q }: Values): Pick<RowParams, 'filters' | '_q'> => {
      if (typeof more === 'function') refuse('db.query with a function as filters');
      return {
        filters: more == null ? filters(where) : { $and: [filters(where), filters(more)] },
        ...(_q !== undefined && { _q }),
      };
    };
    const asked = (params: Values): RowParams => ({
      ...criteria(params),
      ...shown(params),
      ...(params['orderBy'] !== undefined && { sort: params['orderBy'] }),
      ...(params['offset'] !== undefined && { start: params['offset'] }),
      ...(params['limit'] !== undefined && { limit: params['limit'] }),
    });
    /** A query with lifecycles of its own. */
    const named =
      <T>(name: string, query: (params: Values) => Promise<T>) =>
      (given: unknown = {}) =>
        hooked(uid, name, objectAt(given), query) as Promise<T>;
    const count = named('Count', (params) => rows.count(criteria(params)));
    /** A row with what the parameters select. */
    const only = <T>(found: T, params: Values): T => onlySelected(found, params, type, schema) as T;
    const findMany = named('FindMany', async (params) => only(await rows.find(asked(params)), params));
    const findOne = named('FindOne', async (params): Promise<RenderedEntry | null> => {
      const found = await rows.find({ ...asked(params), start: params['offset'] ?? 0, limit: 1 });
      return only(found[0] ?? null, params);
    });
    /** The rows that a write is for. */
    const rowsOf = (where: unknown) => rows.find({ ...IDENTITY, filters: filters(where) });
    const rowOf = async (where: unknown) =>
      (await rows.find({ ...IDENTITY, filters: filters(where), limit: 1 }))[0];
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
    const methods: Values = {
      findMany,
      findOne,
      count,
      findWithCount: async (params: unknown = {}) => [await findMany(params), await count(params)],
      findPage: async (given: unknown = {}) => {
        const { page, pageSize, ...rest } = objectAt(given);
        const { window, shown: pagination } = pageOf({ page, pageSize });
        const params = { ...rest, offset: window.start, limit: window.limit };
        const results = await findMany(params);
        return { results, pagination: pagination(await count(params)) };
      },
      load,
      loadPages: async (entity: unknown, field: unknown, given: unknown = {}) => {
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
      create: named('Create', async (params) =>
        only(await rows.create(dataOf('Create', params), shown(params)), params),
      ),
      createMany: named('CreateMany', async ({ data: list }) => {
        if (!Array.isArray(list)) throw new TypeError('CreateMany expects data to be an array');
        if (list.length === 0) throw new TypeError('Nothing to insert');
        const made = await rows.createMany(list);
        return { count: made.length, ids: made.map(({ id }) => id) };
      }),
      update: named('Update', async (params) => {
        const row = await rowOf(whereOf('Update', params));
        return only(await rows.update(row, dataOf('Update', params), shown(params)), params);
      }),
      updateMany: named('UpdateMany', async (params) => {
        const data = dataOf('Update', params);
        if (Object.keys(data).length === 0) throw new TypeError('Update requires data');
        const found = await rowsOf(params['where']);
        await rows.updateMany(found, data);
        return { count: found.length };
      }),
      delete: named('Delete', async (params) => {
        whereOf('Delete', params);
        const [row] = await rows.find({ ...asked(params), fields: undefined, limit: 1 });
        const select = selectedNames(params['select']);
        return only(await rows.remove(row), { ...params, ...(select && { select: ['id', ...select] }) });
      }),
      deleteMany: named('DeleteMany', async (params) => {
        const found = await rows.find({ ...IDENTITY, ...criteria(params) });
        await rows.removeMany(found);
        return { count: found.length };
      }),
    };
    return withRefused('db.query', uid === ROLE_UID ? withPermissions(access, methods) : methods, 'all');
  };
