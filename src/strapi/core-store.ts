import type { Config } from '../config/types.js';
import { objectAt } from '../values/plain-object.js';
import type { Live } from './live.js';
import type { Values } from './types.js';
import { refuse, withRefused } from './unsupported.js';

/** The name of a value, of what Strapi's store distinguishes them by. */
const nameOf = (key: string, { environment, tag }: Values): string =>
  JSON.stringify([key, environment ?? null, tag ?? null]);

function keyOf({ type = 'core', name, key, ...rest }: Values): string {
  const owner = name === undefined ? String(type) : `${type}_${name}`;
  return nameOf(`${owner}_${key}`, rest);
}

/** They are settings of `config/plugins`: one that code writes would have no effect. */
const CONFIGURED: ReadonlySet<unknown> = new Set(['users-permissions', 'upload', 'i18n', 'email']);

/** The settings of plugins that Strapi keeps in its store, by plugin and key. */
const settingsOf = ({ plugins }: Config): Values => ({
  'users-permissions': { advanced: { ...plugins.usersPermissions.advanced } },
  i18n: { default_locale: plugins.i18n.defaultLocale },
});

/** `strapi.store`: values that a project's code keeps in the database, as `strapi.store({ type, name }).get({ key })`. */
export function coreStoreOf(live: () => Live): unknown {
  const methods = (standard: Values) => {
    const asked = (params: unknown): Values => ({ ...standard, ...objectAt(params) });
    return {
      get: async (params?: unknown) => {
        const { type, name, key } = asked(params);
        const setting = type === 'plugin' && objectAt(settingsOf(live().config), String(name))[String(key)];
        return setting || ((await live().values.get(keyOf(asked(params)))) ?? null);
      },
      set: async (params?: unknown) => {
        const { value, ...rest } = asked(params);
        if (rest['type'] === 'plugin' && CONFIGURED.has(rest['name']))
          refuse(`store of ${String(rest['name'])}`);
        await live().values.set(keyOf(rest), value);
      },
      delete: async (params?: unknown) => live().values.delete(keyOf(asked(params))),
    };
  };
  return Object.assign((standard: unknown) => methods(objectAt(standard)), methods({}));
}

/** The type of the rows of Strapi's store. */
export const STORE_UID = 'strapi::core-store';

/** `db.query('strapi::core-store')`: finds one value by its whole key, such as `plugin_audit_types`. */
export function storeRowsOf(live: () => Live): Values {
  const at = `db.query('${STORE_UID}')`;
  const findOne = async (params: unknown): Promise<object | null> => {
    const { key, environment = null, tag = null, ...others } = objectAt(params, 'where');
    if (typeof key !== 'string' || Object.keys(others).length > 0) refuse(`${at} without a key`);
    // What the admin panel keeps there.
    if (String(key).startsWith('plugin_content_manager_')) refuse(`${at} of the content manager`);
    const settings = Object.entries(settingsOf(live().config)).flatMap(([plugin, values]) =>
      Object.entries(objectAt(values)).map(([name, value]) => [`plugin_${plugin}_${name}`, value] as const),
    );
    const setting = new Map<string, unknown>(settings).get(String(key));
    const value = setting ?? (await live().values.get(nameOf(String(key), { environment, tag }))) ?? null;
    return value === null
      ? null
      : { key, value: JSON.stringify(value), type: typeof value, environment, tag };
  };
  return withRefused<Values>(at, { findOne }, 'all');
}
