import type { RolesConfig } from '../../config/types.js';
import { createDocumentId } from '../../documents/document-id.js';
import { errors } from '../../errors.js';
import { ROLE_UID } from '../../schema/uids.js';
import {
  deleteRole,
  insertRole,
  type StoredRole,
  type StoredRule,
  updateRole,
} from '../../store/access/roles.js';
import { moveUsers } from '../../store/access/users.js';
import { isInserted } from '../../store/connection/insert.js';
import { type AccessDeps, nextId } from '../deps.js';
import { configuredGrants, listedGrants, listedRules } from './configured-roles.js';
import { DEFAULT_ROLES } from './default-roles.js';

export interface NewRole {
  readonly type: string;
  readonly name?: string | undefined;
  readonly description?: string | null | undefined;
  readonly grants: readonly string[];
  readonly rules?: readonly StoredRule[];
}

/**
 * `grants` replaces all actions of the role. Those among them that have rules keep them, unless `rules` replaces
 * those too.
 */
export type RoleChange = Partial<Pick<StoredRole, 'name' | 'description' | 'grants' | 'rules'>>;

/** An action is stored with its rules or among those without. */
const withoutRules = (grants: readonly string[], rules: readonly StoredRule[]): readonly string[] =>
  [...new Set(grants)].filter((action) => !rules.some((rule) => rule.action === action)).sort();

const capital = (type: string): string => type.charAt(0).toUpperCase() + type.slice(1);

/** Creates a role. Throws a 400 if its type is taken. */
export const createRole = async (deps: AccessDeps, made: NewRole): Promise<StoredRole> => {
  const role = await addRole(deps, made);
  if (!role) throw errors.application('role-exists', `Role ${made.type} already exists`);
  return role;
};

/** Creates a role; null if its type is taken. */
const addRole = async (deps: AccessDeps, made: NewRole): Promise<StoredRole | null> => {
  const now = new Date();
  const role: StoredRole = {
    id: await nextId(deps.sequences, ROLE_UID),
    documentId: createDocumentId(),
    locale: null,
    name: made.name ?? capital(made.type),
    description: made.description ?? null,
    type: made.type,
    grants: withoutRules(made.grants, made.rules ?? []),
    ...(made.rules && made.rules.length > 0 && { rules: made.rules }),
    createdAt: now,
    updatedAt: now,
    publishedAt: now,
  };
  deps.begin();
  const isNew = await isInserted(insertRole(deps.store, role));
  await deps.authCache.changed();
  return isNew ? role : null;
};

/** Changes the given parts of a role. */
export const changeRole = async (deps: AccessDeps, role: StoredRole, change: RoleChange): Promise<void> => {
  const { grants: all, ...others } = change;
  const kept = (role.rules ?? []).filter(({ action }) => all?.includes(action) ?? true);
  const rules = change.rules ?? kept;
  const actions = all ? { grants: withoutRules(all, rules), ...(role.rules && { rules }) } : {};
  deps.begin();
  await updateRole(deps.store, role.id, {
    ...others,
    ...actions,
    ...(change.rules && { rules }),
    updatedAt: new Date(),
  });
  await deps.authCache.changed();
};

/** Removes a role; its accounts get the public one. Throws a 400 if it is the public one. */
export const removeRole = async (deps: AccessDeps, role: StoredRole): Promise<void> => {
  if (role.type === 'public') throw errors.application('public-role-permanent', 'Cannot delete public role');
  const fallback = await deps.authCache.roleByType('public');
  deps.begin();
  await moveUsers(deps.store, role.documentId, fallback?.role.documentId ?? null);
  await deleteRole(deps.store, role.id);
  await deps.authCache.changed();
};

/**
 * Creates the two default roles if they are missing, with any further actions from `config/roles`. Several processes may
 * start at the same moment.
 */
export const ensureDefaultRoles = async (deps: AccessDeps, file: RolesConfig = {}): Promise<void> => {
  for (const [type, definition] of Object.entries(DEFAULT_ROLES)) {
    const grants = [...definition.grants, ...listedGrants(file, type)];
    const rules = listedRules(file, type);
    if (!(await deps.authCache.roleByType(type))) await addRole(deps, { type, ...definition, grants, rules });
  }
};

const hasExactly = (role: StoredRole, grants: readonly string[], rules: readonly StoredRule[]): boolean =>
  grants.join() === role.grants.join() && JSON.stringify(rules) === JSON.stringify(role.rules ?? []);

/**
 * Creates the roles in `config/roles`; with `reset`, existing ones get exactly the actions listed there.
 * Other roles stay unchanged. The two default roles keep the actions of the sign-in routes, so that listing
 * only content actions locks nobody out.
 */
export const syncRoles = async (deps: AccessDeps, file: RolesConfig, reset = true): Promise<void> => {
  for (const [type, entry] of Object.entries(file)) {
    const { name, description } =
      'permissions' in entry ? entry : { name: undefined, description: undefined };
    const grants = configuredGrants(file, type);
    const rules = listedRules(file, type);
    const known = await deps.authCache.roleByType(type);
    if (!known) await addRole(deps, { type, name, description, grants, rules });
    else if (reset && !hasExactly(known.role, grants, rules))
      await changeRole(deps, known.role, { grants, rules });
  }
};
