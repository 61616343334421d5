import pluralize from 'pluralize';
import { FILE_UID, ROLE_UID, USER_UID } from '../../schema/uids.js';
import type { Model3 } from './models.js';

/** Type names are in kebab-case. */
const kebabType = (name: string): string =>
  name
    .replace(/([a-z0-9])([A-Z])/g, '$1-$2')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^[^a-z]+|-+$/g, '') || 'type';

const PLUGINS: Readonly<Record<string, string>> = {
  'plugins::upload.file': FILE_UID,
  'plugins::users-permissions.user': USER_UID,
  'plugins::users-permissions.role': ROLE_UID,
};

/**
 * The type's uid in Mangrove, such as `api::restaurant.restaurant`; null for types that Mangrove does not
 * have.
 */
export function uidOf({ uid, isComponent }: Pick<Model3, 'uid' | 'isComponent'>): string | null {
  if (isComponent) return uid;
  if (!uid.startsWith('application::')) return PLUGINS[uid] ?? null;
  const [api = '', name = api] = uid.slice('application::'.length).split('.');
  return `api::${kebabType(api)}.${kebabType(name)}`;
}

/**
 * The plural of the last word. If it equals the singular, another name is used, since the two must differ.
 */
export const pluralOf = (singular: string): string => {
  const plural = kebabType(pluralize(singular));
  return plural === singular ? `${singular}-list` : plural;
};
