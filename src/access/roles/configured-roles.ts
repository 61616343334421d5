import type { RolesConfig } from '../../config/types.js';
import type { AppEvent } from '../../events/events.js';
import { didYouMean } from '../../values/nearest.js';
import { DEFAULT_ROLES } from './default-roles.js';

/** The actions that `config/roles` lists for a role. */
export const listedGrants = (file: RolesConfig, type: string): readonly string[] => {
  const entry = Object.hasOwn(file, type) ? (file[type] ?? []) : [];
  return 'permissions' in entry ? entry.permissions : entry;
};

/**
 * The actions that every start gives a role of `config/roles`, sorted; null if the file does not name the
 * role.
 */
export const configuredGrants = (file: RolesConfig | null, type: string): readonly string[] | null =>
  file && Object.hasOwn(file, type)
    ? [...new Set([...listedGrants(file, type), ...(DEFAULT_ROLES[type]?.grants ?? [])])].sort()
    : null;

/** A warning for each action in `config/roles` that no route requires, so that granting it has no effect. */
export const adviseRoles = (roles: RolesConfig | null, actions: readonly string[]): readonly AppEvent[] => {
  const known = new Set(actions);
  return Object.keys(roles ?? {}).flatMap((type) =>
    listedGrants(roles ?? {}, type)
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
