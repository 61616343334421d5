import { allActions } from '../access/index.js';
import { errors } from '../errors.js';
import type { Project } from '../project.js';
import { declaredRoutes } from '../strapi/open.js';

/** `article` is short for `api::article.article`, and `article.*` matches all its actions. */
const matches = (pattern: string): ((action: string) => boolean) => {
  const full = /^[a-z0-9-]+\./.test(pattern) ? pattern.replace(/^([^.]+)\./, 'api::$1.$1.') : pattern;
  return full.endsWith('.*') ? (action) => action.startsWith(full.slice(0, -1)) : (action) => action === full;
};

/**
 * The given actions: `api::article.article.find`, `article.find` for short, or `article.*`. Throws for a name
 * that no route requires, so that a typo does not pass for a grant.
 */
export const checkActions = (
  project: Pick<Project, 'schema' | 'own' | 'code'>,
  names: readonly string[],
): readonly string[] => {
  const actions = allActions(project.schema, declaredRoutes(project));
  return names.flatMap((name) => {
    const named = actions.filter(matches(name));
    if (named.length === 0)
      throw errors.application(
        'action-unknown',
        `No route requires the action ${name}; mangrove routes list shows them`,
      );
    return named;
  });
};
