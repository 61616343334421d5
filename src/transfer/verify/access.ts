import { modelOf } from '../../schema/find.js';
import { ROLE_UID } from '../../schema/uids.js';
import { listRoles } from '../../store/access/roles.js';
import { readAccountSettings } from '../../store/account-settings.js';
import { readLocaleSettings } from '../../store/locales.js';
import { isObject, objectAt, type PlainObject } from '../../values/plain-object.js';
import type { Import } from '../run/context.js';
import type { EntryRow } from '../run/rows.js';
import { type CheckedItem, expectedKey } from './expected.js';

/** What a role of the source may do. */
export interface ExpectedGrant {
  /** The row of the permission, or of its role. */
  readonly at: string;
  /** The ref of the role. */
  readonly role: string;
  readonly action: string;
  /** How the report names it, if `at` is the role; otherwise null. */
  readonly name: string | null;
}

/** Compares roles with those of the source: each may do what it could, and nothing else. */
export async function* grantFindings(
  { store, staging }: Import,
  refs: readonly string[],
  grants: readonly ExpectedGrant[],
): AsyncGenerator<CheckedItem> {
  const stored = new Map((await listRoles(store)).map((role) => [role.documentId, role.grants]));
  const keys = [...refs, ...grants.map(({ role }) => role)].map((ref) => expectedKey(ROLE_UID, ref));
  const rows = await staging.find<EntryRow>('rows', [...new Set(keys)]);
  const grantsOf = (ref: string): readonly string[] =>
    stored.get(rows.get(expectedKey(ROLE_UID, ref))?.documentId ?? '') ?? [];
  for (const { at, role, action, name } of grants) {
    const isThere = grantsOf(role).includes(action);
    yield { at, missing: isThere ? null : `${action} is not granted to its role`, mention: name };
  }
  for (const ref of refs) {
    const given = new Set(grants.filter(({ role }) => role === ref).map(({ action }) => action));
    for (const action of grantsOf(ref))
      if (!given.has(action))
        yield {
          at: expectedKey(ROLE_UID, ref),
          missing: `${action} is granted, and was not in the source`,
          mention: action,
        };
  }
}

/** The names that a schema of Strapi makes private. */
export function privateNamesIn(model: PlainObject): readonly string[] {
  const listed = objectAt(model, 'options')['privateAttributes'];
  const own = Object.entries(objectAt(model, 'attributes')).filter(([, attribute]) => {
    const { private: isPrivate, type } = objectAt(attribute);
    return isPrivate === true || type === 'password';
  });
  return [...own.map(([name]) => name), ...(Array.isArray(listed) ? listed.map(String) : [])];
}

/** Looks for attributes that nobody could read in the source, and that callers can read now. */
export function* privacyFindings(
  { schema }: Pick<Import, 'schema'>,
  uid: string,
  names: readonly string[],
): Generator<CheckedItem> {
  const attributes = [...(modelOf(schema, uid)?.attributes.values() ?? [])];
  for (const name of new Set(names)) {
    const renamed = attributes.filter((attribute) => attribute.name.startsWith(`${name}_v`));
    const same = attributes.filter((attribute) => attribute.name === name);
    const isOpen = (renamed.length > 0 ? renamed : same).some((attribute) => !attribute.private);
    yield {
      at: `${uid} ${name}`,
      missing: isOpen ? 'it is private in the source, and is not here' : null,
      mention: 'private',
    };
  }
}

const ACCOUNTS = 'plugin_users-permissions_advanced';
const FLAGS = ['unique_email', 'allow_register', 'email_confirmation'];
const TEXTS = ['default_role', 'email_reset_password', 'email_confirmation_redirection'];
/** Settings that have no place here, so that the report must name them. */
const NO_PLACE = [
  'plugin_users-permissions_grant',
  'plugin_users-permissions_email',
  'plugin_upload_settings',
];

/** Compares a setting of Strapi's core store with what is stored. */
export async function* settingFindings(
  { store }: Import,
  key: string,
  value: unknown,
): AsyncGenerator<CheckedItem> {
  if (NO_PLACE.includes(key) && value !== null && value !== undefined)
    yield { at: key, missing: 'it is not in the report' };
  if (key === 'plugin_i18n_default_locale') {
    const stored = (await readLocaleSettings(store))?.defaultLocale ?? null;
    const isSame = String(value).replaceAll('"', '') === stored;
    yield { at: key, missing: isSame ? null : `${String(value)} is stored as ${stored}` };
  }
  if (key !== ACCOUNTS || !isObject(value)) return;
  const stored = await readAccountSettings(store);
  const compare = (name: string, expected: unknown): CheckedItem => ({
    at: key,
    missing:
      stored[name] === expected
        ? null
        : `${name}, ${JSON.stringify(expected)}, is stored as ${JSON.stringify(stored[name])}`,
    mention: `${name} is`,
  });
  for (const name of FLAGS) yield compare(name, Boolean(value[name]));
  for (const name of TEXTS) if (value[name]) yield compare(name, value[name]);
}

/** A webhook, which is in the report. */
export const webhookFinding = (at: string): CheckedItem => ({ at, missing: 'it is not in the report' });
