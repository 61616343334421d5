import type { Command } from 'commander';
import { changeRole, createRole } from '../access/roles.js';
import { errors } from '../errors.js';
import type { Project } from '../project.js';
import { globalsOf } from './globals.js';
import { checkActions } from './known-actions.js';
import { note, print, printJson, table } from './output.js';
import { withProject } from './with-project.js';

interface ChangeOptions {
  readonly dryRun?: boolean;
}

interface Changed {
  readonly grants: readonly string[];
  /** `config/roles` names the role and will set it at the next start. */
  readonly configured: boolean;
}

const find = async ({ access }: Project, type: string) =>
  (await access.deps.directory.roleByType(type))?.role ?? null;

const isConfigured = ({ config }: Project, type: string): boolean => Object.hasOwn(config.roles ?? {}, type);

const report = (command: Command, type: string, dryRun: boolean, { grants, configured }: Changed): void => {
  if (globalsOf(command).json) printJson({ type, grants, ...(dryRun && { dryRun }) });
  else if (dryRun) note(`Role ${type} would hold ${grants.length} actions:\n${grants.join('\n')}`);
  else note(`Role ${type} holds ${grants.length} actions; running servers know it within five seconds.`);
  if (configured)
    note(`config/roles names ${type} and sets it again at the next start: change it there as well.`);
};

const grant = async (
  type: string,
  names: string[],
  { dryRun = false }: ChangeOptions,
  command: Command,
): Promise<void> => {
  const changed = await withProject(command, async (project) => {
    const added = checkActions(project.schema, names);
    const role = await find(project, type);
    const grants = [...new Set([...(role?.grants ?? []), ...added])].sort();
    if (!dryRun && role) await changeRole(project.access.deps, role, { grants });
    else if (!dryRun) await createRole(project.access.deps, { type, grants });
    return { grants, configured: isConfigured(project, type) };
  });
  report(command, type, dryRun, changed);
};

const revoke = async (
  type: string,
  names: string[],
  { dryRun = false }: ChangeOptions,
  command: Command,
): Promise<void> => {
  const changed = await withProject(command, async (project) => {
    const removed = new Set(checkActions(project.schema, names));
    const role = await find(project, type);
    if (!role) throw errors.application('role-not-found', `There is no role ${type}`);
    const grants = role.grants.filter((action) => !removed.has(action));
    if (!dryRun) await changeRole(project.access.deps, role, { grants });
    return { grants, configured: isConfigured(project, type) };
  });
  report(command, type, dryRun, changed);
};

const list = async (_: unknown, command: Command): Promise<void> => {
  const entries = await withProject(command, ({ access }) => access.deps.directory.roles());
  const roles = entries.map(({ role: { type, name, description, grants } }) => ({
    type,
    name,
    description,
    grants,
  }));
  if (globalsOf(command).json) return printJson(roles);
  const rows = roles.flatMap(({ type, name, grants }) =>
    (grants.length > 0 ? grants : ['(nothing)']).map((action, at) => [
      at === 0 ? type : '',
      at === 0 ? name : '',
      action,
    ]),
  );
  print(table(['type', 'name', 'action'], rows));
};

const DRY_RUN = ['--dry-run', 'say what the role would hold, change nothing'] as const;

/** `mangrove role grant|revoke|list`: what the roles of the users-permissions plugin may do (rules H.4). */
export function register(program: Command): void {
  const role = program.command('role').description('roles and what they may do');
  role
    .command('grant <type> <actions...>')
    .description('give a role actions; the role is made where it does not exist')
    .option(...DRY_RUN)
    .addHelpText(
      'after',
      `
An action is api::article.article.find, or article.find for short; article.* is all of a type's.
Roles that config/roles names are set to its list at the next start of the server.

Examples:
  $ mangrove role grant public article.find article.findOne
  $ mangrove role grant editor 'article.*' --dry-run`,
    )
    .action(grant);
  role
    .command('revoke <type> <actions...>')
    .description('take actions from a role')
    .option(...DRY_RUN)
    .addHelpText(
      'after',
      `
Example:
  $ mangrove role revoke public article.find`,
    )
    .action(revoke);
  role.command('list').description('every role with its actions').action(list);
}
