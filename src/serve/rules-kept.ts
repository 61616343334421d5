import { termsOf } from '../access/index.js';
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
    rules.map((rule) => {
      const { where, fields } = termsOf(rule);
      return { type, action: rule.action, limits: where !== undefined || fields !== undefined };
    }),
  );
  if (ruled.length === 0) return;
  const answeredByCode = allRoutes(project).filter(({ operation }) => operation?.kind === 'own');
  const { compat } = project.config.rest;
  const atDoor = ruled
    .filter(({ limits }) => compat !== null && limits)
    .map(
      ({ type, action }) =>
        `role ${type}: ${action} has a rule with "where" or "fields", which is not kept with rest.compat '${compat}'`,
    );
  const byCode = ruled.flatMap(({ type, action }) =>
    answeredByCode
      .filter((route) => route.action === action)
      .map(
        ({ method, path }) =>
          `role ${type}: ${action} has a rule, which the project's own code for ${method.toUpperCase()} ${path} would not keep`,
      ),
  );
  const problems = [...atDoor, ...byCode];
  if (problems.length > 0) throw new ConfigError([...new Set(problems)]);
}
