import { allActions, checkPermissions, type Holder, holderOf, writtenPermissions } from '../access/index.js';
import { ConfigError } from '../config/error.js';
import type { Permission } from '../config/types.js';
import { allRoutes } from '../http/routes/all.js';
import type { Project } from '../project.js';
import { declaredRoutes } from '../strapi/open.js';

/** Who has permissions. */
interface Held {
  /** `role writer`, `token preview`. */
  readonly name: string;
  readonly holder: Holder;
  readonly permissions: readonly Permission[];
}

/**
 * Rules are kept by the built-in controllers; code of the project that answers in their place may read and write
 * anything.
 * @throws ConfigError if a role or token has a rule that does not fit the schema, or such code answers its action
 */
export async function checkRulesKept(project: Project): Promise<void> {
  const { roles, tokens } = project.access;
  // A rule for what no longer exists does no harm.
  const known = new Set(allActions(project.schema, declaredRoutes(project)));
  const written = (permissions: Parameters<typeof writtenPermissions>[0]): readonly Permission[] =>
    writtenPermissions(permissions).filter((one) => typeof one === 'string' || known.has(one.action));
  const held: readonly Held[] = [
    ...(await roles.all()).map(({ role }) => ({
      name: `role ${role.type}`,
      holder: holderOf(role.type),
      permissions: written(role),
    })),
    ...(await tokens.all()).map(({ name, permissions: grants, rules = [] }) => ({
      name: `token ${name}`,
      holder: 'token' as const,
      permissions: written({ grants, rules }),
    })),
  ];
  const problems = held.flatMap((one) => ruleProblems(project, one));
  if (problems.length > 0) throw new ConfigError([...new Set(problems)]);
}

type Parts = Pick<Project, 'schema' | 'config' | 'own' | 'code'>;

/** What does not fit the schema in someone's rules, and what would not be kept of them. */
export function ruleProblems(parts: Parts, { name, holder, permissions }: Held): readonly string[] {
  const ruled = permissions.filter((one) => typeof one !== 'string');
  if (ruled.length === 0) return [];
  const unfit = checkPermissions(parts, holder, permissions).map(({ at, place, message }) => {
    const permission = permissions[at];
    const action = typeof permission === 'string' ? permission : permission?.action;
    return `${name}: ${action}${place}: ${message}`;
  });
  const answeredByCode = allRoutes(parts).filter(({ operation }) => operation?.kind === 'own');
  const byCode = ruled.flatMap(({ action }) =>
    answeredByCode
      .filter((route) => route.action === action)
      .map(
        ({ method, path }) =>
          `${name}: ${action} has a rule, which the project's own code for ${method.toUpperCase()} ${path} would not keep`,
      ),
  );
  return [...new Set([...unfit, ...byCode])];
}
