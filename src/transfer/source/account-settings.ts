import { rowsOf } from '../../config/setting.js';
import { SETTINGS } from '../../config/settings.js';
import type { AccountSettings } from '../../store/account-settings.js';
import { isObject } from '../../values/plain-object.js';
import { type ImportProblem, lost, moved, noted, type SourceRecord } from './types.js';

/** The key of Strapi's core store with the settings of accounts. */
export const ACCOUNT_SETTINGS = 'plugin_users-permissions_advanced';

const ADVANCED = rowsOf(SETTINGS.plugins.usersPermissions.advanced);

/**
 * The settings of accounts that a source has. Strapi takes a missing flag for false, and an empty address for
 * none.
 */
export function* accountSettings(value: unknown): Generator<SourceRecord> {
  if (!isObject(value)) {
    const why = `${JSON.stringify(value)} is not an object: registration is as config/plugins sets it, and open by default`;
    return yield noted(lost('setting', ACCOUNT_SETTINGS, why));
  }
  const settings: Record<string, unknown> = {};
  for (const { to: name, setting } of ADVANCED) {
    const { standard, reader } = setting.row;
    const given = value[name];
    const read = typeof standard === 'boolean' ? Boolean(given) : given === '' ? null : given;
    if (setting.fits(read)) settings[name] = read;
    else if (given !== undefined)
      yield noted(
        lost(
          'setting',
          ACCOUNT_SETTINGS,
          `${name} is ${JSON.stringify(given)}, not ${reader.expected}: ${JSON.stringify(standard)} applies`,
        ),
      );
  }
  yield { kind: 'accountSettings', settings };
}

const shown = (settings: AccountSettings): string =>
  Object.entries(settings)
    .map(([name, value]) => `${name} ${JSON.stringify(value)}`)
    .join(', ');

/** What becomes of a source's settings in a project whose configuration sets some of them. */
export function accountSettingProblems(
  settings: AccountSettings,
  set: AccountSettings,
): readonly ImportProblem[] {
  const taken = Object.entries(settings).filter(([name]) => !Object.hasOwn(set, name));
  const others = Object.entries(settings).filter(
    ([name, value]) => Object.hasOwn(set, name) && set[name] !== value,
  );
  const why = `${shown(Object.fromEntries(taken))}; used unless config/plugins sets them`;
  return [
    ...(taken.length > 0 ? [moved('setting', ACCOUNT_SETTINGS, why)] : []),
    ...others.map(([name, value]) =>
      lost(
        'setting',
        ACCOUNT_SETTINGS,
        `${name} is ${JSON.stringify(value)} in the source, ${JSON.stringify(set[name])} in config/plugins, which applies`,
      ),
    ),
  ];
}
