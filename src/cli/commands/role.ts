import {
  actionOf,
  configuredPermissions,
  heldActions,
  holderOf,
  storedPermissions,
  writtenPermissions,
} from '../../access/index.js';
import type { Permission } from '../../config/types.js';
import { errors } from '../../errors.js';
import type { Project } from '../../project.js';
import { ruleProblems } from '../../serve/rules-kept.js';
import { table } from '../../terminal/output.js';
import { type CommandLine, command, refused } from '../command.js';
import { findRole } from '../find-role.js';
import { permissionsOf, permissionText, RULE_OPTIONS, type RuleOptions } from '../rule-options.js';
import { withProject } from '../with-project.js';

interface ChangeOptions {
  readonly dryRun?: boolean;
}

interface GrantOptions extends ChangeOptions, RuleOptions {}

interface CreateOptions extends ChangeOptions {
  readonly name?: string;
  readonly description?: string;
}

/** Without these roles, the public or new accounts would have none. */
const PERMANENT = new Set(['public', 'authenticated']);

const find = (project: Project, type: string) => findRole(project, type, ' (mangrove role create adds one)');

/** Equal for equal permissions. */
const textOf = (permission: Permission): string => JSON.stringify(permission);

const without = (
  permissions: readonly Permission[],
  others: readonly Permission[],
): readonly Permission[] => {
  const texts = new Set(others.map(textOf));
  return permissions.filter((permission) => !texts.has(textOf(permission)));
};

/** Throws for a change that the next start would undo, because `config/roles` defines the role. */
const checkConfigured = ({ config }: Project, type: string, wanted: readonly Permission[]): void => {
  const configured = configuredPermissions(config.roles, type);
  if (configured === null) return;
  const added = without(wanted, configured);
  const removed = without(configured, wanted);
  if (added.length + removed.length === 0) return;
  const listed = (permissions: readonly Permission[]): string => permissions.map(permissionText).join(', ');
  const changes = [
    ...(added.length > 0 ? [`add ${listed(added)}`] : []),
    ...(removed.length > 0 ? [`remove ${listed(removed)}`] : []),
  ];
  throw errors.application(
    'role-configured',
    `config/roles defines ${type} and resets it at every start, so nothing was changed. In config/roles, ${changes.join(' and ')}, then restart.`,
  );
};

type Change = (held: readonly Permission[], named: readonly Permission[]) => readonly Permission[];

const sorted = (permissions: readonly Permission[]): readonly Permission[] =>
  [...permissions].sort((a, b) => (actionOf(a) < actionOf(b) ? -1 : actionOf(a) > actionOf(b) ? 1 : 0));

/** Replaces the permissions of a role with the result of `change`. */
const changePermissions =
  (change: Change) => async (call: CommandLine<GrantOptions>, type: string, names: readonly string[]) => {
    const { dryRun = false } = call.options;
    const permissions = await withProject(call, async (project) => {
      const named = permissionsOf(project, names, call.options);
      const role = await find(project, type);
      const wanted = sorted(change(writtenPermissions(role), named));
      checkConfigured(project, type, wanted);
      const held = { name: `role ${type}`, holder: holderOf(type), permissions: wanted };
      const problems = named.some((one) => typeof one !== 'string') ? ruleProblems(project, held) : [];
      if (problems.length > 0) throw refused(problems.join('\n'));
      const { grants, rules } = storedPermissions(wanted);
      if (!dryRun)
        await project.access.roles.change(role, {
          grants: [...grants, ...rules.map(({ action }) => action)],
          rules,
        });
      return wanted;
    });
    const grants = [...new Set(permissions.map(actionOf))];
    const rules = permissions.filter((one) => typeof one !== 'string');
    const says = dryRun
      ? `would have ${grants.length} actions:\n${permissions.map(permissionText).join('\n')}`
      : `has ${grants.length} actions; running servers apply this within five seconds.`;
    return { data: { type, grants, rules, ...(dryRun && { dryRun }) }, notes: [`Role ${type} ${says}`] };
  };

/** An action that has rules keeps them when it is granted without one. */
const granted: Change = (held, named) => {
  const ruled = new Set(held.flatMap((one) => (typeof one === 'string' ? [] : [one.action])));
  const added = named.filter((one) => typeof one !== 'string' || !ruled.has(one));
  return [...new Map([...held, ...added].map((one) => [textOf(one), one])).values()];
};

const revoked: Change = (held, named) => {
  const actions = new Set(named.map(actionOf));
  return held.filter((one) => !actions.has(actionOf(one)));
};

const grant = command({
  name: 'grant <type> <actions...>',
  does: 'grant actions to a role, with a rule if one is given',
  options: [...RULE_OPTIONS, ['--dry-run', 'show the actions that the role would have, without changing it']],
  help: `
An action is api::article.article.find, or article.find for short; article.* is all of a type's.
Several rules of an action are alternatives. An action that has rules keeps them when it is granted without one:
revoke it first.
A role that config/roles defines is reset at every start, so change it there: this command refuses, and says what to write.

Examples:
  $ mangrove role grant public article.find article.findOne
  $ mangrove role grant editor 'article.*' --dry-run
  $ mangrove role grant publisher article.publish article.unpublish article.discardDraft
  $ mangrove role grant reviewer article.update --where '{"author":{"id":"$caller.id"}}' --write title body`,
  run: changePermissions(granted),
});

const revoke = command({
  name: 'revoke <type> <actions...>',
  does: 'remove actions from a role, with their rules',
  options: [['--dry-run', 'show the actions that the role would have, without changing it']],
  help: `
Example:
  $ mangrove role revoke public article.find`,
  run: changePermissions(revoked),
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
      throw refused(
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
      if (configuredPermissions(project.config.roles, type) !== null)
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
        const { type, name, description } = role;
        const configured = configuredPermissions(config.roles, type) !== null;
        const rules = writtenPermissions({ ...role, grants: [] });
        return { type, name, description, grants: heldActions(role), rules, configured };
      }),
    );
    const rows = data.flatMap(({ type, name, grants, rules, configured }) => {
      const ruled = new Set(rules.map(actionOf));
      const named = sorted([...grants.filter((action) => !ruled.has(action)), ...rules]).map(permissionText);
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
