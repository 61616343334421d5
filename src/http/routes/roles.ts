import { enabledActions, permissionTree } from '../../access/actions.js';
import { type Body, checkBody, objectBody } from '../../access/body.js';
import type { RoleEntry } from '../../access/directory.js';
import type { Access } from '../../access/index.js';
import { changeRole, createRole, removeRole } from '../../access/roles.js';
import { errors } from '../../errors.js';
import { countByRole } from '../../store/access-users.js';
import type { Controller, RequestContext, Route } from '../context.js';
import { showFields } from './show.js';

const PREFIX = '/users-permissions';
const action = (name: string): string => `plugin::users-permissions.role.${name}`;

/** `Blog Writer 2` becomes `blog_writer_2`. */
const typeFor = (name: string): string =>
  name
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/(?<=[a-z])(?=\d)|(?<=\d)(?=[a-z])/g, '_')
    .replace(/[^\p{L}\p{N}]+/gu, '_')
    .replace(/^_|_$/g, '');

const bodyOf = (ctx: RequestContext): Body => {
  const body = objectBody(ctx.request.body);
  if (Object.keys(body).length === 0)
    throw errors.validation('role-body-empty', 'Request body cannot be empty');
  return body;
};

const name = { max: 255 } as const;
const RULES = { name: { ...name, required: true }, description: { max: 2000 }, type: name } as const;
const CHANGE_RULES = { name, description: { max: 2000 } } as const;

/** Roles and the tree of their permissions (rules H.3). */
export const roleRoutes = (
  { deps, roleType }: Access,
  /** Every action that can be granted. */
  actions: readonly string[],
): readonly Route[] => {
  const named = async (ctx: RequestContext): Promise<RoleEntry | undefined> =>
    (await deps.directory.roles()).find(({ role }) => String(role.id) === ctx.params['id']);

  const list: Controller = async (ctx) => {
    const [entries, users] = await Promise.all([deps.directory.roles(), countByRole(deps.store)]);
    const roles = entries.map(({ role }) => ({
      ...showFields(roleType, role),
      nb_users: users.get(role.documentId) ?? 0,
    }));
    ctx.body = { roles };
  };

  const one: Controller = async (ctx) => {
    const entry = await named(ctx);
    if (!entry) throw errors.notFound();
    const permissions = permissionTree(actions, (name) => entry.grants.allows(name));
    ctx.body = { role: { ...showFields(roleType, entry.role), permissions } };
  };

  const create: Controller = async (ctx) => {
    const body = bodyOf(ctx);
    const { name, description, type } = checkBody(body, RULES);
    const grants = enabledActions(body['permissions']);
    await createRole(deps, { name, description, type: type ?? typeFor(name), grants });
    ctx.body = { ok: true };
  };

  const update: Controller = async (ctx) => {
    const body = bodyOf(ctx);
    const { name, description } = checkBody(body, CHANGE_RULES);
    const entry = await named(ctx);
    if (!entry) throw errors.missing('role-not-found', 'Role not found');
    await changeRole(deps, entry.role, {
      ...(name === undefined ? {} : { name }),
      ...(description === undefined ? {} : { description }),
      ...('permissions' in body ? { grants: enabledActions(body['permissions']) } : {}),
    });
    ctx.body = { ok: true };
  };

  const remove: Controller = async (ctx) => {
    const entry = await named(ctx);
    if (!entry) throw errors.notFound();
    if (entry.role.type === 'public')
      throw errors.application('public-role-permanent', 'Cannot delete public role');
    await removeRole(deps, entry.role);
    ctx.body = { ok: true };
  };

  const tree: Controller = (ctx) => {
    ctx.body = { permissions: permissionTree(actions, () => false) };
  };

  return [
    { method: 'get', path: `${PREFIX}/roles`, action: action('find'), controller: list },
    { method: 'get', path: `${PREFIX}/roles/:id`, action: action('findOne'), controller: one },
    { method: 'post', path: `${PREFIX}/roles`, action: action('createRole'), controller: create },
    { method: 'put', path: `${PREFIX}/roles/:id`, action: action('updateRole'), controller: update },
    { method: 'delete', path: `${PREFIX}/roles/:id`, action: action('deleteRole'), controller: remove },
    {
      method: 'get',
      path: `${PREFIX}/permissions`,
      action: 'plugin::users-permissions.permissions.getPermissions',
      controller: tree,
    },
  ];
};
