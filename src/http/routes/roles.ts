import {
  allActions,
  permissionTree,
  type RoleEntry,
  readNewRole,
  readRoleChange,
} from '../../access/index.js';
import { errors } from '../../errors.js';
import { declaredRoutes } from '../../strapi/open.js';
import type { Controller, RequestContext, Route } from '../context.js';
import type { AppDeps } from '../deps.js';
import { showFields } from './show.js';

const PREFIX = '/users-permissions';
const action = (name: string): string => `plugin::users-permissions.role.${name}`;

/** The actions in permission trees: those of Strapi, and others as soon as a role has them. */
const actionsOf = async (deps: AppDeps): Promise<readonly string[]> => {
  const roles = await deps.access.roles.all();
  return allActions(deps.schema, declaredRoutes(deps), (name) =>
    roles.some(({ grants }) => grants.allows(name)),
  );
};

const requestedRole = async (ctx: RequestContext, { access }: AppDeps): Promise<RoleEntry | undefined> =>
  (await access.roles.all()).find(({ role }) => String(role.id) === ctx.params['id']);

const list: Controller = async (ctx, _, { access: { users, roles, roleType } }) => {
  const [entries, counts] = await Promise.all([roles.all(), users.countByRole()]);
  ctx.body = {
    roles: entries.map(({ role }) => ({
      ...showFields(roleType, role),
      nb_users: counts.get(role.documentId) ?? 0,
    })),
  };
};

const roleNotFound = () => errors.missing('role-not-found', 'Role not found');

const one: Controller = async (ctx, _, deps) => {
  const entry = await requestedRole(ctx, deps);
  if (!entry) throw roleNotFound();
  const permissions = permissionTree(await actionsOf(deps), (name) => entry.grants.allows(name));
  ctx.body = { role: { ...showFields(deps.access.roleType, entry.role), permissions } };
};

const create: Controller = async (ctx, _, { access }) => {
  await access.forRequest(ctx.exchange.budget).roles.create(readNewRole(ctx.request.body));
  ctx.body = { ok: true };
};

const update: Controller = async (ctx, _, deps) => {
  const change = readRoleChange(ctx.request.body);
  const entry = await requestedRole(ctx, deps);
  if (!entry) throw roleNotFound();
  await deps.access.forRequest(ctx.exchange.budget).roles.change(entry.role, change);
  ctx.body = { ok: true };
};

const remove: Controller = async (ctx, _, deps) => {
  const entry = await requestedRole(ctx, deps);
  if (!entry) throw roleNotFound();
  await deps.access.forRequest(ctx.exchange.budget).roles.remove(entry.role);
  ctx.body = { ok: true };
};

const tree: Controller = async (ctx, _, deps) => {
  ctx.body = { permissions: permissionTree(await actionsOf(deps), () => false) };
};

/** Roles and their permission trees. */
export const roleRoutes: readonly Route[] = [
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
