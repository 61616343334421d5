import { ROLE_UID } from '../../schema/uids.js';
import type { ForeignDatabase } from '../../store/transfer/foreign.js';
import type { Import } from '../run/context.js';
import { wantsType } from '../source/selection.js';
import { type ExpectedGrant, grantFindings, settingFindings, webhookFinding } from './access.js';
import { type CheckedItem, expectedKey } from './expected.js';
import { idTextOf, type RawModels } from './strapi3-models.js';

const ROLES = 'plugins::users-permissions.role';

/** Permissions and settings. */
export async function* strapi3Access(
  run: Import,
  database: ForeignDatabase,
  models: RawModels,
): AsyncGenerator<CheckedItem> {
  const { selection } = run;
  if (wantsType(selection, ROLE_UID)) {
    const refs: string[] = [];
    const roles = models.types.find(({ name }) => name === ROLES);
    if (roles) for await (const { _id } of database.all(roles.collection)) refs.push(idTextOf(_id));
    const grants: ExpectedGrant[] = [];
    for await (const row of database.all('users-permissions_permission'))
      if (row['enabled'] === true && row['role'] !== undefined && row['role'] !== null)
        grants.push(grantOf(row, models));
    yield* grantFindings(run, refs, grants);
  }
  if (!selection.parts.includes('config')) return;
  for await (const { key, value } of database.all('core_store'))
    if (typeof key === 'string') yield* settingFindings(run, key, readable(value));
  for await (const _webhook of database.all('strapi_webhooks')) yield webhookFinding('strapi_webhooks');
}

const readable = (value: unknown): unknown => {
  try {
    return JSON.parse(String(value));
  } catch {
    return value;
  }
};

/** Controllers and actions that have another name in Strapi 5. */
const RENAMED: Readonly<Record<string, string>> = {
  'userspermissions.getpermissions': 'permissions.getPermissions',
  'userspermissions.getroles': 'role.find',
  'userspermissions.getrole': 'role.findOne',
  'userspermissions.createrole': 'role.createRole',
  'userspermissions.updaterole': 'role.updateRole',
  'userspermissions.deleterole': 'role.deleteRole',
};
/** The capital letters that names lost in Strapi 3. */
const CAPITALS = ['findOne', 'changePassword', 'emailConfirmation', 'forgotPassword', 'resetPassword'].concat(
  ['sendEmailConfirmation', 'listLocales'],
);

function grantOf(
  { type, controller, action, role }: Readonly<Record<string, unknown>>,
  models: RawModels,
): ExpectedGrant {
  const ref = idTextOf(role);
  const name = [type, controller, action].map(String).join('.');
  const old = `${String(controller)}.${String(action)}`;
  const isPart = action === 'search' || (action === 'count' && old !== 'user.count');
  const lower = isPart ? 'find' : String(action);
  const known = CAPITALS.find((one) => one.toLowerCase() === lower) ?? lower;
  const plain = `${type === 'upload' ? 'content-api' : String(controller)}.${known}`;
  const full =
    type === 'application'
      ? `${models.ofController(String(controller))?.uid}.${known}`
      : `plugin::${String(type)}.${RENAMED[old] ?? plain}`;
  return { at: expectedKey(ROLE_UID, ref), role: ref, action: full, name };
}
