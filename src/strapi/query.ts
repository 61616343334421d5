import { PERMISSION_UID, ROLE_UID } from '../schema/uids.js';
import { objectAt } from '../values/plain-object.js';
import type { Live } from './live.js';
import { permissionsOf, withPermissions } from './permissions.js';
import { type RowParams, TypeRows } from './rows.js';
import type { Values } from './types.js';
import { withRefused } from './unsupported.js';
import { filtersOf, populateOf } from './where.js';

/** What reads of a row to be changed need of it. */
const IDENTITY = { fields: ['documentId', 'locale', 'publishedAt'] } as const;

/** `strapi.db.query(uid)`: rows, by the names that Strapi's query engine uses. */
export const queryOf =
  (live: () => Live) =>
  (uid: string): Values => {
    const { schema, access } = live();
    if (uid === PERMISSION_UID) return permissionsOf(access);
    const rows = new TypeRows(live(), uid);
    const { type } = rows;
    const shown = ({ select, populate }: Values): Values => ({
      ...(select !== undefined && { fields: select === '*' ? undefined : select }),
      ...(populate !== undefined && { populate: populateOf(populate, type, schema) }),
    });
    const filters = (where: unknown): Values => filtersOf(where, type, schema);
    const asked = (params: Values): RowParams => ({
      filters: filters(params['where']),
      ...shown(params),
      ...(params['orderBy'] !== undefined && { sort: params['orderBy'] }),
      ...(params['offset'] !== undefined && { start: params['offset'] }),
      ...(params['limit'] !== undefined && { limit: params['limit'] }),
    });
    const count = (params: unknown = {}): Promise<number> => rows.count(filters(objectAt(params)['where']));
    const findMany = (params: unknown = {}) => rows.find(asked(objectAt(params)));
    const rowOf = async (where: unknown) =>
      (await rows.find({ ...IDENTITY, filters: filters(where), limit: 1 }))[0];
    const dataOf = (params: Values): unknown => params['data'];
    const methods: Values = {
      findMany,
      findOne: async (params: unknown = {}) =>
        (
          await rows.find({ ...asked(objectAt(params)), start: objectAt(params)['offset'] ?? 0, limit: 1 })
        )[0] ?? null,
      count,
      findWithCount: async (params: unknown = {}) => [await findMany(params), await count(params)],
      findPage: async (params: unknown = {}) => {
        const { page = 1, pageSize = 10 } = objectAt(params);
        const [at, size] = [Math.max(1, Number(page)), Math.max(1, Number(pageSize))];
        const total = await count(params);
        const results = await rows.find({
          ...asked(objectAt(params)),
          start: (at - 1) * size,
          limit: size,
        });
        return {
          results,
          pagination: { page: at, pageSize: size, pageCount: Math.ceil(total / size), total },
        };
      },
      create: (params: Values) => rows.create(dataOf(params), shown(params)),
      update: async (params: Values) =>
        rows.update(await rowOf(params['where']), dataOf(params), shown(params)),
      delete: async (params: Values) =>
        rows.remove((await rows.find({ ...asked(params), fields: undefined, limit: 1 }))[0]),
    };
    return withRefused('db.query', uid === ROLE_UID ? withPermissions(access, methods) : methods, 'all');
  };
