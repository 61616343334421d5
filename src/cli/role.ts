import type { Command } from 'commander';
import { changeRole, createRole } from '../access/roles.js';
import { errors } from '../errors.js';
import type { Project } from '../project.js';
import { globalsOf } from './globals.js';
import { checkActions } from './known-actions.js';
import { note, print, printJson, table } from './output.js';
import { withProject } from './with-project.js';

const find = async ({ access }: Project, type: string) =>
  (await access.deps.directory.roleByType(type))?.role ?? null;

const report = (command: Command, type: string, grants: readonly string[]): void => {
  if (globalsOf(command).json) printJson({ type, grants });
  else note(`Role ${type} holds ${grants.length} actions; running servers know it within five seconds.`);
};

const grant = async (type: string, names: string[], _: unknown, command: Command): Promise<void> => {
  const grants = await withProject(command, async (project) => {
    const added = checkActions(project.schema, names);
    const role = await find(project, type);
    const all = [...new Set([...(role?.grants ?? []), ...added])].sort();
    if (role) await changeRole(project.access.deps, role, { grants: all });
    else await createRole(project.access.deps, { type, grants: all });
    return all;
  });
  report(command, type, grants);
};

const revoke = async (type: string, names: string[], _: unknown, command: Command): Promise<void> => {
  const grants = await withProject(command, async (project) => {
    const removed = new Set(checkActions(project.schema, names));
    const role = await find(project, type);
    if (!role) throw errors.application(`There is no role ${type}`);
    const left = role.grants.filter((action) => !removed.has(action));
    await changeRole(project.access.deps, role, { grants: left });
    return left;
  });
  report(command, type, grants);
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

/** `mangrove role grant|revoke|list`: what the roles of the users-permissions plugin may do (SPEC H.4). */
export function register(program: Command): void {
  const role = program.command('role').description('roles and what they may do');
  role
    .command('grant <type> <actions...>')
    .description('give a role actions; the role is made where it does not exist')
    .addHelpText(
      'after',
      `
An action is api::article.article.find, or article.find for short; article.* is all of a type's.
Roles that config/roles names are set to its list at the next start.

Examples:
  $ mangrove role grant public article.find article.findOne
  $ mangrove role grant editor 'article.*'`,
    )
    .action(grant);
  role.command('revoke <type> <actions...>').description('take actions from a role').action(revoke);
  role.command('list').description('every role with its actions').action(list);
}
