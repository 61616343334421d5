import type { RolesConfig } from '../config/types.js';
import { nearest } from '../values/nearest.js';

/** A sentence for each action in `config/roles` that no route asks for: a grant of it opens nothing. */
export const adviseRoles = (roles: RolesConfig | null, actions: readonly string[]): readonly string[] => {
  const known = new Set(actions);
  return Object.entries(roles ?? {}).flatMap(([type, entry]) =>
    ('permissions' in entry ? entry.permissions : entry)
      .filter((action) => !known.has(action))
      .map((action) => {
        const meant = nearest(action, known);
        return `config/roles › ${type}: no route asks for the action ${action}${meant === undefined ? '' : `; did you mean ${meant}?`}`;
      }),
  );
};
