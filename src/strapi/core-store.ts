import { invalidSettings, isAccepted } from '../config/setting.js';
import { SETTINGS } from '../config/settings.js';
import { isObject, objectAt } from '../values/plain-object.js';
import { strapiErrors } from './errors.js';
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
const settingsOf = ({ access, config }: Live): Values => ({
  'users-permissions': { advanced: { ...access.advanced } },
  i18n: { default_locale: config.plugins.i18n.defaultLocale },
});

/** Changes the settings of accounts, except whether addresses are unique: the database's index decides that. */
async function setAdvanced({ access }: Live, value: unknown): Promise<void> {
  const group = SETTINGS.plugins.usersPermissions.advanced;
  const given = objectAt(value);
  const changed = Object.fromEntries(
    Object.entries(access.advanced).map(([name, is]) => [
      name,
      Object.hasOwn(given, name) ? given[name] : is,
    ]),
  );
  if (!isAccepted(group, changed))
    throw new strapiErrors.ApplicationError(
      `Settings of accounts: ${invalidSettings(group, changed).join('; ')}`,
    );
  if (changed.unique_email !== access.advanced.unique_email) refuse('store of unique_email');
  await access.setAdvanced(changed);
}

/** Whether a value of `grant` enables no provider: then it has no effect in Strapi either. */
const enablesNone = (grant: unknown): boolean =>
  Object.values(objectAt(grant)).every((provider) => !isObject(provider) || provider['enabled'] !== true);

/** `strapi.store`: values that a project's code keeps in the database, as `strapi.store({ type, name }).get({ key })`. */
export function coreStoreOf(live: () => Live): unknown {
  const methods = (standard: Values) => {
    const asked = (params: unknown): Values => ({ ...standard, ...objectAt(params) });
    return {
      get: async (params?: unknown) => {
        const { type, name, key } = asked(params);
        const setting = type === 'plugin' && objectAt(settingsOf(live()), String(name))[String(key)];
        return setting || ((await live().values.get(keyOf(asked(params)))) ?? null);
      },
      set: async (params?: unknown) => {
        const { value, ...rest } = asked(params);
        const { type, name, key } = rest;
        const isOf = (plugin: string): boolean => type === 'plugin' && name === plugin;
        if (isOf('users-permissions') && key === 'advanced') return setAdvanced(live(), value);
        const isGrant = isOf('users-permissions') && key === 'grant' && enablesNone(value);
        if (type === 'plugin' && CONFIGURED.has(name) && !isGrant) refuse(`store of ${String(name)}`);
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
    const settings = Object.entries(settingsOf(live())).flatMap(([plugin, values]) =>
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
