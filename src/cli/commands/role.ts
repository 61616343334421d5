import { configuredActions, heldActions, termsOf } from '../../access/index.js';
import { errors } from '../../errors.js';
import type { Project } from '../../project.js';
import { table } from '../../terminal/output.js';
import { type CommandLine, command } from '../command.js';
import { findRole } from '../find-role.js';
import { checkActions } from '../known-actions.js';
import { withProject } from '../with-project.js';

interface ChangeOptions {
  readonly dryRun?: boolean;
}

interface CreateOptions extends ChangeOptions {
  readonly name?: string;
  readonly description?: string;
}

/** Without these roles, the public or new accounts would have none. */
const PERMANENT = new Set(['public', 'authenticated']);

const find = (project: Project, type: string) => findRole(project, type, ' (mangrove role create adds one)');

/** Throws for a change that the next start would undo, because `config/roles` defines the role. */
const checkConfigured = ({ config }: Project, type: string, wanted: readonly string[]): void => {
  const configured = configuredActions(config.roles, type);
  if (configured === null) return;
  const added = wanted.filter((action) => !configured.includes(action));
  const removed = configured.filter((action) => !wanted.includes(action));
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

type Change = (held: readonly string[], named: readonly string[]) => readonly string[];

/** Replaces the grants of a role with the result of `change`. */
const changeGrants =
  (change: Change) => async (call: CommandLine<ChangeOptions>, type: string, names: readonly string[]) => {
    const { dryRun = false } = call.options;
    const grants = await withProject(call, async (project) => {
      const named = checkActions(project, names);
      const role = await find(project, type);
      const wanted = [...new Set(change(heldActions(role), named))].sort();
      checkConfigured(project, type, wanted);
      if (!dryRun) await project.access.roles.change(role, { grants: wanted });
      return wanted;
    });
    const says = dryRun
      ? `would have ${grants.length} actions:\n${grants.join('\n')}`
      : `has ${grants.length} actions; running servers apply this within five seconds.`;
    return { data: { type, grants, ...(dryRun && { dryRun }) }, notes: [`Role ${type} ${says}`] };
  };

const grant = command({
  name: 'grant <type> <actions...>',
  does: 'grant actions to a role',
  options: [['--dry-run', 'show the actions that the role would have, without changing it']],
  help: `
An action is api::article.article.find, or article.find for short; article.* is all of a type's.
A role that config/roles defines is reset at every start, so change it there: this command refuses, and says what to write.

Examples:
  $ mangrove role grant public article.find article.findOne
  $ mangrove role grant editor 'article.*' --dry-run
  $ mangrove role grant publisher article.publish article.unpublish article.discardDraft`,
  run: changeGrants((held, named) => [...held, ...named]),
});

const revoke = command({
  name: 'revoke <type> <actions...>',
  does: 'remove actions from a role',
  options: [['--dry-run', 'show the actions that the role would have, without changing it']],
  help: `
Example:
  $ mangrove role revoke public article.find`,
  run: changeGrants((held, named) => held.filter((action) => !named.includes(action))),
});

const create = command({
  name: 'create <type>',
  does: 'create a role without permissions',
  options: [
    ['--name <text>', 'its display name'],
    ['--description <text>', 'its purpose'],
    ['--dry-run', 'check the type, without creating the role'],
  ],
  async run(call: CommandLine<CreateOptions>, type: string) {
    const { name, description, dryRun = false } = call.options;
    if (!/^[a-z][a-z0-9_-]{0,63}$/.test(type))
      throw errors.application(
        'command-refused',
        `A role's type consists of lowercase letters, digits, - and _, and begins with a letter; it cannot be "${type}"`,
      );
    await withProject(call, async ({ access }) => {
      if (await access.roles.byType(type))
        throw errors.application('role-exists', `Role ${type} already exists`);
      if (!dryRun) await access.roles.create({ type, name, description, grants: [] });
    });
    const says = dryRun ? 'would be created' : 'was created and has no permissions yet: mangrove role grant';
    return { data: { type, ...(dryRun && { dryRun }) }, notes: [`Role ${type} ${says}.`] };
  },
});

const remove = command({
  name: 'delete <type>',
  does: 'delete a role; its accounts get the role public',
  options: [['--dry-run', 'show which accounts it would affect, without deleting it']],
  async run(call: CommandLine<ChangeOptions>, type: string) {
    const { dryRun = false } = call.options;
    const users = await withProject(call, async (project) => {
      const role = await find(project, type);
      if (PERMANENT.has(type))
        throw errors.application('role-permanent', `The role ${type} cannot be deleted`);
      if (configuredActions(project.config.roles, type) !== null)
        throw errors.application(
          'role-configured',
          `config/roles defines ${type} and creates it at every start, so nothing was changed. Remove it from config/roles first.`,
        );
      const counts = await project.access.users.countByRole();
      if (!dryRun) await project.access.roles.remove(role);
      return counts.get(role.documentId) ?? 0;
    });
    const have = dryRun ? 'would have' : 'have';
    const moved = users === 0 ? '' : `; ${users} accounts ${have} the role public now`;
    return {
      data: { type, users, ...(dryRun && { dryRun }) },
      notes: [`Role ${type} ${dryRun ? 'would be' : 'is'} deleted${moved}.`],
    };
  },
});

const list = command({
  name: 'list',
  does: 'list every role with its actions, and where it is defined',
  async run(call) {
    const data = await withProject(call, async ({ access, config }) =>
      (await access.roles.all()).map(({ role }) => {
        const { type, name, description, rules = [] } = role;
        const configured = configuredActions(config.roles, type) !== null;
        const ruled = rules.map((rule) => ({ action: rule.action, ...termsOf(rule) }));
        return { type, name, description, grants: heldActions(role), rules: ruled, configured };
      }),
    );
    const rows = data.flatMap(({ type, name, grants, rules, configured }) => {
      const hasRules = (action: string) => rules.some((rule) => rule.action === action);
      const named = grants.map((action) => (hasRules(action) ? `${action} (by rule)` : action));
      return (named.length > 0 ? named : ['(nothing)']).map((action, at) =>
        at === 0 ? [type, name, configured ? 'config/roles' : 'database', action] : ['', '', '', action],
      );
    });
    return { data, text: table(['type', 'name', 'set by', 'action'], rows) };
  },
});

/** `mangrove role`: manages the roles of the users-permissions plugin. */
export const role = command({
  name: 'role',
  does: 'manage roles and their permissions',
  commands: [grant, revoke, create, remove, list],
});
