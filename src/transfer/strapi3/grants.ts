import { lost, noted, type SourceRecord } from '../source/types.js';
import type { Strapi3 } from './context.js';
import { kebab } from './names.js';
import { refOf } from './references.js';

/** Actions of Strapi 5 by the names in Strapi 3, which are stored in lower case. */
const CONTENT: Readonly<Record<string, string>> = {
  find: 'find',
  findone: 'findOne',
  create: 'create',
  update: 'update',
  delete: 'delete',
};
const PLUGINS: Readonly<Record<string, string>> = {
  'users-permissions auth callback': 'plugin::users-permissions.auth.callback',
  'users-permissions auth changepassword': 'plugin::users-permissions.auth.changePassword',
  'users-permissions auth connect': 'plugin::users-permissions.auth.connect',
  'users-permissions auth emailconfirmation': 'plugin::users-permissions.auth.emailConfirmation',
  'users-permissions auth forgotpassword': 'plugin::users-permissions.auth.forgotPassword',
  'users-permissions auth register': 'plugin::users-permissions.auth.register',
  'users-permissions auth resetpassword': 'plugin::users-permissions.auth.resetPassword',
  'users-permissions auth sendemailconfirmation': 'plugin::users-permissions.auth.sendEmailConfirmation',
  'users-permissions user count': 'plugin::users-permissions.user.count',
  'users-permissions user create': 'plugin::users-permissions.user.create',
  'users-permissions user destroy': 'plugin::users-permissions.user.destroy',
  'users-permissions user find': 'plugin::users-permissions.user.find',
  'users-permissions user findone': 'plugin::users-permissions.user.findOne',
  'users-permissions user me': 'plugin::users-permissions.user.me',
  'users-permissions user update': 'plugin::users-permissions.user.update',
  'users-permissions userspermissions getpermissions': 'plugin::users-permissions.permissions.getPermissions',
  'users-permissions userspermissions getroles': 'plugin::users-permissions.role.find',
  'users-permissions userspermissions getrole': 'plugin::users-permissions.role.findOne',
  'users-permissions userspermissions createrole': 'plugin::users-permissions.role.createRole',
  'users-permissions userspermissions updaterole': 'plugin::users-permissions.role.updateRole',
  'users-permissions userspermissions deleterole': 'plugin::users-permissions.role.deleteRole',
  'upload upload find': 'plugin::upload.content-api.find',
  'upload upload findone': 'plugin::upload.content-api.findOne',
  'upload upload upload': 'plugin::upload.content-api.upload',
  'upload upload destroy': 'plugin::upload.content-api.destroy',
  'i18n locales listlocales': 'plugin::i18n.locales.listLocales',
};

/** Actions that others cover here: `count` is the total of a `find`. */
const COVERED = new Set(['count', 'search', 'init']);

/**
 * The grants of each role. Actions that Mangrove does not have, or that also depend on a policy, are not
 * granted.
 */
export async function* readGrants({ database, types }: Strapi3): AsyncGenerator<SourceRecord> {
  const byController = new Map(
    types.map(({ model, uid }) => [
      kebab(model.uid.slice(model.uid.lastIndexOf('.') + 1)).replaceAll('-', ''),
      uid,
    ]),
  );
  for await (const row of database.all('users-permissions_permission')) {
    if (row['enabled'] !== true || row['role'] === undefined || row['role'] === null) continue;
    const type = String(row['type']);
    const controller = String(row['controller']);
    const action = String(row['action']);
    const role = refOf(row['role']);
    const uid = byController.get(controller.toLowerCase().replaceAll(/[^a-z0-9]/g, ''));
    const name = Object.hasOwn(CONTENT, action) ? CONTENT[action] : undefined;
    const content = uid !== undefined && name !== undefined ? `${uid}.${name}` : undefined;
    const known = type === 'application' ? content : PLUGINS[`${type} ${controller} ${action}`];
    const policy =
      typeof row['policy'] === 'string' && row['policy'] !== '' && row['policy'] !== 'ratelimit'
        ? row['policy']
        : null;
    if (known !== undefined && policy === null) yield { kind: 'grant', grant: { role, action: known } };
    else if (!COVERED.has(action) || policy !== null) {
      const why = policy === null ? 'there is no such action' : `its policy ${policy} is not here`;
      const at = `plugin::users-permissions.role ${role}`;
      yield noted(lost('role', at, `${type}.${controller}.${action} is not granted: ${why}`));
    }
  }
}
