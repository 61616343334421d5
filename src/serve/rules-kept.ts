import { ConfigError } from '../config/error.js';
import { allRoutes } from '../http/routes/all.js';
import type { Project } from '../project.js';

/**
 * Rules are kept by the built-in controllers; code of the project that answers in their place may read and write
 * anything.
 * @throws ConfigError if a role has an action by a rule and such code answers it
 */
export async function checkRulesKept(project: Project): Promise<void> {
  const ruled = (await project.access.roles.all()).flatMap(({ role: { type, rules = [] } }) =>
    rules.map(({ action }) => ({ type, action })),
  );
  if (ruled.length === 0) return;
  const answeredByCode = allRoutes(project).filter(({ operation }) => operation?.kind === 'own');
  const problems = ruled.flatMap(({ type, action }) =>
    answeredByCode
      .filter((route) => route.action === action)
      .map(
        ({ method, path }) =>
          `role ${type}: ${action} has a rule, which the project's own code for ${method.toUpperCase()} ${path} would not keep`,
      ),
  );
  if (problems.length > 0) throw new ConfigError([...new Set(problems)]);
}
