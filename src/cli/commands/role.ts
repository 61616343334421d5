import type { Command } from 'commander';
import { configuredGrants, type RoleEntry } from '../../access/index.js';
import { errors } from '../../errors.js';
import type { Project } from '../../project.js';
import { note, print, printJson, table } from '../../terminal/output.js';
import { didYouMean } from '../../values/nearest.js';
import { globalsOf } from '../globals.js';
import { checkActions } from '../known-actions.js';
import { withProject } from '../with-project.js';

interface ChangeOptions {
  readonly dryRun?: boolean;
}

interface CreateOptions extends ChangeOptions {
  readonly name?: string;
  readonly description?: string;
}

/** Roles whose absence would leave strangers or new accounts without any. */
const PERMANENT = new Set(['public', 'authenticated']);

const find = async ({ access }: Project, type: string): Promise<RoleEntry['role']> => {
  const entries = await access.roles.all();
  const found = entries.find(({ role }) => role.type === type);
  if (found) return found.role;
  const types = entries.map(({ role }) => role.type);
  throw errors.application(
    'role-not-found',
    `There is no role ${type}${didYouMean(type, types)} (mangrove role create adds one)`,
  );
};

/** Refuses a change that the next start would undo: for the roles it names, `config/roles` decides. */
const refuseOverruled = ({ config }: Project, type: string, wanted: readonly string[]): void => {
  const configured = configuredGrants(config.roles, type);
  if (configured === null) return;
  const differs = (left: readonly string[], right: readonly string[]): string[] =>
    left.filter((action) => !right.includes(action));
  const added = differs(wanted, configured);
  const removed = differs(configured, wanted);
  if (added.length + removed.length === 0) return;
  const changes = [
    ...(added.length > 0 ? [`add ${added.join(', ')}`] : []),
    ...(removed.length > 0 ? [`remove ${removed.join(', ')}`] : []),
  ];
  throw errors.application(
    'role-configured',
    `config/roles defines ${type} and resets it at every start, so nothing was changed. In config/roles, ${changes.join(' and ')}, then restart.`,
  );
};

const report = (command: Command, type: string, dryRun: boolean, grants: readonly string[]): void => {
  if (globalsOf(command).json) printJson({ type, grants, ...(dryRun && { dryRun }) });
  else if (dryRun) note(`Role ${type} would have ${grants.length} actions:\n${grants.join('\n')}`);
  else note(`Role ${type} has ${grants.length} actions; running servers apply this within five seconds.`);
};

type Change = (held: readonly string[], named: readonly string[]) => readonly string[];

/** `role grant` and `role revoke`: what the role holds becomes what `change` makes of it. */
const changeGrants =
  (change: Change) =>
  async (
    type: string,
    names: string[],
    { dryRun = false }: ChangeOptions,
    command: Command,
  ): Promise<void> => {
    const grants = await withProject(command, async (project) => {
      const named = checkActions(project, names);
      const role = await find(project, type);
      const wanted = [...new Set(change(role.grants, named))].sort();
      refuseOverruled(project, type, wanted);
      if (!dryRun) await project.access.roles.change(role, { grants: wanted });
      return wanted;
    });
    report(command, type, dryRun, grants);
  };

const create = async (
  type: string,
  { name, description, dryRun = false }: CreateOptions,
  command: Command,
): Promise<void> => {
  if (!/^[a-z][a-z0-9_-]{0,63}$/.test(type))
    throw errors.application(
      'command-refused',
      `A role's type consists of lowercase letters, digits, - and _, and begins with a letter; it cannot be "${type}"`,
    );
  await withProject(command, async ({ access }) => {
    if (await access.roles.byType(type))
      throw errors.application('role-exists', `Role ${type} already exists`);
    if (!dryRun) await access.roles.create({ type, name, description, grants: [] });
  });
  if (globalsOf(command).json) printJson({ type, ...(dryRun && { dryRun }) });
  else
    note(
      `Role ${type} ${dryRun ? 'would be created' : 'was created and has no permissions yet: mangrove role grant'}.`,
    );
};

const remove = async (type: string, { dryRun = false }: ChangeOptions, command: Command): Promise<void> => {
  const users = await withProject(command, async (project) => {
    const role = await find(project, type);
    if (PERMANENT.has(type)) throw errors.application('role-permanent', `The role ${type} cannot be deleted`);
    if (configuredGrants(project.config.roles, type) !== null)
      throw errors.application(
        'role-configured',
        `config/roles defines ${type} and creates it at every start, so nothing was changed. Remove it from config/roles first.`,
      );
    const counts = await project.access.users.countByRole();
    if (!dryRun) await project.access.roles.remove(role);
    return counts.get(role.documentId) ?? 0;
  });
  if (globalsOf(command).json) return printJson({ type, users, ...(dryRun && { dryRun }) });
  const moved =
    users === 0 ? '' : `; ${users} accounts ${dryRun ? 'would have' : 'have'} the role public now`;
  note(`Role ${type} ${dryRun ? 'would be' : 'is'} deleted${moved}.`);
};

const list = async (_: unknown, command: Command): Promise<void> => {
  const entries = await withProject(command, async ({ access, config }) =>
    (await access.roles.all()).map(({ role: { type, name, description, grants } }) => ({
      type,
      name,
      description,
      grants,
      configured: configuredGrants(config.roles, type) !== null,
    })),
  );
  if (globalsOf(command).json) return printJson(entries);
  const rows = entries.flatMap(({ type, name, grants, configured }) =>
    (grants.length > 0 ? grants : ['(nothing)']).map((action, at) =>
      at === 0 ? [type, name, configured ? 'config/roles' : 'database', action] : ['', '', '', action],
    ),
  );
  print(table(['type', 'name', 'set by', 'action'], rows));
};

/** `mangrove role`: what the roles of the users-permissions plugin may do (rules H.4). */
export function register(program: Command): void {
  const role = program.command('role').description('manage roles and their permissions');
  const dryRun = ['--dry-run', 'show the actions that the role would have, without changing it'] as const;
  role
    .command('grant <type> <actions...>')
    .description('grant actions to a role')
    .option(...dryRun)
    .addHelpText(
      'after',
      `
An action is api::article.article.find, or article.find for short; article.* is all of a type's.
A role that config/roles defines is reset at every start, so change it there: this command refuses, and says what to write.

Examples:
  $ mangrove role grant public article.find article.findOne
  $ mangrove role grant editor 'article.*' --dry-run`,
    )
    .action(changeGrants((held, named) => [...held, ...named]));
  role
    .command('revoke <type> <actions...>')
    .description('remove actions from a role')
    .option(...dryRun)
    .addHelpText(
      'after',
      `
Example:
  $ mangrove role revoke public article.find`,
    )
    .action(changeGrants((held, named) => held.filter((action) => !named.includes(action))));
  role
    .command('create <type>')
    .description('create a role without permissions')
    .option('--name <text>', 'its display name')
    .option('--description <text>', 'its purpose')
    .option('--dry-run', 'check the type, without creating the role')
    .action(create);
  role
    .command('delete <type>')
    .description('delete a role; its accounts get the role public')
    .option('--dry-run', 'show which accounts it would affect, without deleting it')
    .action(remove);
  role.command('list').description('list every role with its actions, and where it is defined').action(list);
}
