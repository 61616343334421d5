import type { Permission, RolesConfig } from '../../config/types.js';
import type { AppEvent } from '../../events/events.js';
import type { StoredRule } from '../../store/access/roles.js';
import { didYouMean } from '../../values/nearest.js';
import { actionOf, storedPermissions, writtenPermissions } from '../permissions.js';
import { DEFAULT_ROLES } from './default-roles.js';

/** What `config/roles` lists for a role, in its order. */
export const listedPermissions = (file: RolesConfig, type: string): readonly Permission[] => {
  const entry = Object.hasOwn(file, type) ? (file[type] ?? []) : [];
  return 'permissions' in entry ? entry.permissions : entry;
};

/** The actions that `config/roles` lists for a role, with or without rules. */
const listedActions = (file: RolesConfig, type: string): readonly string[] =>
  listedPermissions(file, type).map(actionOf);

/** The actions that it lists without rules. */
export const listedGrants = (file: RolesConfig, type: string): readonly string[] =>
  storedPermissions(listedPermissions(file, type)).grants;

/** Those with rules. */
export const listedRules = (file: RolesConfig, type: string): readonly StoredRule[] =>
  storedPermissions(listedPermissions(file, type)).rules;

const sorted = (actions: readonly string[]): readonly string[] => [...new Set(actions)].sort();

/** The actions without rules that every start gives a role of `config/roles`, sorted. */
export const configuredGrants = (file: RolesConfig, type: string): readonly string[] =>
  sorted([...listedGrants(file, type), ...(DEFAULT_ROLES[type]?.grants ?? [])]);

/** The same with the actions that have rules, as they are written; null if the file does not name the role. */
export const configuredPermissions = (
  file: RolesConfig | null,
  type: string,
): readonly Permission[] | null =>
  file && Object.hasOwn(file, type)
    ? writtenPermissions({ grants: configuredGrants(file, type), rules: listedRules(file, type) })
    : null;

/** A warning for each action in `config/roles` that no route requires, so that granting it has no effect. */
export const adviseRoles = (roles: RolesConfig | null, actions: readonly string[]): readonly AppEvent[] => {
  const known = new Set(actions);
  return Object.keys(roles ?? {}).flatMap((type) =>
    listedActions(roles ?? {}, type)
      .filter((action) => !known.has(action))
      .map(
        (action): AppEvent => ({
          name: 'action-unknown',
          role: type,
          action,
          guess: didYouMean(action, known),
        }),
      ),
  );
};
