import type { Live } from './live.js';
import { type RowParams, Rows } from './rows.js';
import type { Values } from './types.js';
import { withRefused } from './unsupported.js';

/** `strapi.entityService`: rows by numeric id, with the parameters of the Document Service. */
export function entityServiceOf(live: () => Live): Values {
  const rowsOf = (uid: string): Rows => new Rows(live(), uid);
  const ids = (id: unknown) => ({ id: { $eq: id } });
  const one = async (uid: string, id: unknown, params: RowParams = {}) =>
    (await rowsOf(uid).find({ ...params, filters: ids(id), limit: 1 }))[0];
  const shown = ({ fields, populate }: Values): Values => ({
    ...(fields !== undefined && { fields }),
    ...(populate !== undefined && { populate }),
  });
  return withRefused<Values>(
    'entityService',
    {
      findOne: async (uid: string, id: unknown, params: RowParams = {}) =>
        (await one(uid, id, params)) ?? null,
      findMany: (uid: string, params: RowParams = {}) => rowsOf(uid).find(params),
      count: (uid: string, params: RowParams = {}) => rowsOf(uid).count(params.filters),
      create: (uid: string, params: Values) => rowsOf(uid).create(params['data'], shown(params)),
      update: async (uid: string, id: unknown, params: Values) =>
        rowsOf(uid).update(await one(uid, id), params['data'], shown(params)),
      delete: async (uid: string, id: unknown) => rowsOf(uid).remove(await one(uid, id)),
    },
    'all',
  );
}
