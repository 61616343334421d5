import type { Config } from '../config/types.js';
import { objectAt } from '../values/plain-object.js';
import type { Live } from './live.js';
import type { Values } from './types.js';
import { refuse } from './unsupported.js';

/** The name of a value, of what Strapi's store distinguishes them by. */
function keyOf({ type = 'core', name, key, environment, tag }: Values): string {
  const owner = name === undefined ? String(type) : `${type}_${name}`;
  return JSON.stringify([`${owner}_${key}`, environment ?? null, tag ?? null]);
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
