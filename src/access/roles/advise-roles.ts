import type { RolesConfig } from '../../config/types.js';
import type { AppEvent } from '../../events/events.js';
import { didYouMean } from '../../values/nearest.js';

/** A warning for each action in `config/roles` that no route asks for: a grant of it opens nothing. */
export const adviseRoles = (roles: RolesConfig | null, actions: readonly string[]): readonly AppEvent[] => {
  const known = new Set(actions);
  return Object.entries(roles ?? {}).flatMap(([type, entry]) =>
    ('permissions' in entry ? entry.permissions : entry)
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
