import { groupBy } from '../../values/group.js';
import { lost, moved, noted, type SourceRecord } from '../source/types.js';
import type { Strapi3 } from './context.js';
import { referenceText } from './references.js';

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

/** Actions without a counterpart that are part of `find` here: its answers have the total, and it searches. */
const PARTS_OF_FIND = new Set(['count', 'search']);

const letters = (name: string): string => name.toLowerCase().replaceAll(/[^a-z0-9]/g, '');

/** The types by the names of their controllers; undefined if a name could mean several. */
function controllersOf(types: Strapi3['types']): (controller: string) => string | undefined {
  const named = types
    .filter(({ uid }) => uid.startsWith('api::'))
    .map(({ model, uid }) => ({ name: model.uid.slice(model.uid.lastIndexOf('.') + 1).toLowerCase(), uid }));
  return (controller) => {
    const wanted = controller.toLowerCase();
    const same = named.filter(({ name }) => name === wanted);
    const found = same.length > 0 ? same : named.filter(({ name }) => letters(name) === letters(wanted));
    return found.length === 1 ? found[0]?.uid : undefined;
  };
}

/** An enabled action of a role. */
interface Enabled {
  readonly role: string;
  /** As Strapi 3 names it: `application.article.find`. */
  readonly name: string;
  /** The action here; undefined if there is none. */
  readonly action: string | undefined;
  /** Of an action that is part of another here: that one. */
  readonly within: string | undefined;
  readonly policy: string | null;
}

/**
 * The grants of each role. Actions that Mangrove does not have, or that also depend on a policy, are not
 * granted.
 */
export async function* readGrants({ database, types }: Strapi3): AsyncGenerator<SourceRecord> {
  const uidOf = controllersOf(types);
  const actionOf = (type: string, controller: string, action: string): string | undefined => {
    if (type !== 'application') return PLUGINS[`${type} ${controller} ${action}`];
    const uid = uidOf(controller);
    const name = Object.hasOwn(CONTENT, action) ? CONTENT[action] : undefined;
    return uid !== undefined && name !== undefined ? `${uid}.${name}` : undefined;
  };
  const parts: Enabled[] = [];
  const granted = new Set<string>();
  for await (const row of database.all('users-permissions_permission')) {
    if (row['enabled'] !== true) continue;
    const type = String(row['type']);
    const controller = String(row['controller']);
    const action = String(row['action']);
    const name = `${type}.${controller}.${action}`;
    if (row['role'] === undefined || row['role'] === null) {
      yield noted(lost('role', 'plugin::users-permissions.role', `${name} belongs to no role`));
      continue;
    }
    const { policy } = row;
    const enabled: Enabled = {
      role: referenceText(row['role']),
      name,
      action: actionOf(type, controller, action),
      within: PARTS_OF_FIND.has(action) ? actionOf(type, controller, 'find') : undefined,
      policy: typeof policy === 'string' && policy !== '' && policy !== 'ratelimit' ? policy : null,
    };
    if (enabled.policy !== null) yield notGranted(enabled, `its policy ${enabled.policy} is not here`);
    else if (enabled.action !== undefined) {
      granted.add(`${enabled.role} ${enabled.action}`);
      yield { kind: 'grant', grant: { role: enabled.role, action: enabled.action } };
    } else if (enabled.within !== undefined) parts.push(enabled);
    else yield notGranted(enabled, 'there is no such action');
  }
  yield* partsOfFind(parts, granted);
}

const roleAt = (role: string): string => `plugin::users-permissions.role ${role}`;

const notGranted = ({ role, name }: Enabled, why: string): SourceRecord =>
  noted(lost('role', roleAt(role), `${name} is not granted: ${why}`));

/** Who may find entries may count them; nobody else may. */
function* partsOfFind(parts: readonly Enabled[], granted: ReadonlySet<string>): Generator<SourceRecord> {
  const isGranted = ({ role, within }: Enabled): boolean => granted.has(`${role} ${within}`);
  for (const [role, all] of groupBy(parts.filter(isGranted), (one) => one.role)) {
    const names = all.map(({ name }) => name).join(', ');
    yield noted(moved('role', roleAt(role), `part of find, which is granted: ${names}`));
  }
  for (const one of parts)
    if (!isGranted(one)) yield notGranted(one, 'here it is part of find, which the role does not have');
}
