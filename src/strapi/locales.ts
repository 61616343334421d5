import { LOCALE_UID } from '../schema/uids.js';
import { objectAt } from '../values/plain-object.js';
import { fitsCondition } from './permissions.js';
import type { Values } from './types.js';
import { withRefused } from './unsupported.js';

/** `strapi.db.query('plugin::i18n.locale')`: the locales, which are no content type here. */
export function localesOf(list: () => Promise<readonly object[]>): Values {
  const find = async (params: unknown): Promise<readonly object[]> => {
    const where = Object.entries(objectAt(params, 'where'));
    return (await list()).filter((locale) =>
      where.every(([name, asked]) => fitsCondition(Object(locale)[name], asked)),
    );
  };
  return withRefused<Values>(
    `db.query('${LOCALE_UID}')`,
    {
      findMany: find,
      findOne: async (params: unknown) => (await find(params))[0] ?? null,
      count: async (params: unknown) => (await find(params)).length,
    },
    'all',
  );
}
