import { Option } from 'commander';
import { actionOf, heldActions, type TokenType, writtenPermissions } from '../../access/index.js';
import { errors } from '../../errors.js';
import { ruleProblems } from '../../serve/rules-kept.js';
import { table } from '../../terminal/output.js';
import { parseLifespan } from '../arguments.js';
import { type CommandLine, command, refused } from '../command.js';
import {
  permissionsOf,
  permissionText,
  RULE_OPTIONS,
  RULE_TERMS,
  type RuleOptions,
} from '../rule-options.js';
import { withProject } from '../with-project.js';

const TYPES: readonly TokenType[] = ['read-only', 'full-access', 'custom'];

interface CreateOptions extends RuleOptions {
  readonly type: TokenType;
  readonly allow: readonly string[];
  readonly lifespan: number | null;
  readonly description?: string;
  readonly dryRun?: boolean;
}

const create = command({
  name: 'create <name>',
  does: 'create a token and print its key, which is not shown again',
  options: [
    new Option('--type <type>', 'its permissions').choices(TYPES).default('read-only'),
    new Option(
      '--allow <actions...>',
      'actions of a custom token, such as api::article.article.find, or permissions in JSON',
    ).default([]),
    ...RULE_OPTIONS,
    new Option('--lifespan <time>', '30d, 12h or forever').argParser(parseLifespan).default(null),
    ['--description <text>', 'its purpose'],
    ['--dry-run', 'check the name and the actions, without creating the token'],
  ],
  help: `
A rule applies to all actions of --allow. With rules that differ, an action is JSON as in config/roles. A token has no
account, so its rules cannot name $caller.

Examples:
  $ mangrove token create website
  $ mangrove token create importer --type full-access --lifespan 1d
  $ mangrove token create form --type custom --allow api::message.message.create
  $ mangrove token create preview --type custom --allow page.find page.findOne --where '{"section":"news"}'
  $ mangrove token create inbox --type custom --allow '{"action":"message.create","set":{"source":"inbox"}}'`,
  async run(call: CommandLine<CreateOptions>, name: string) {
    const { type, allow, lifespan, description, dryRun = false } = call.options;
    const hasRule = RULE_TERMS.some((term) => call.options[term] !== undefined);
    if (type !== 'custom' && (allow.length > 0 || hasRule))
      throw errors.application(
        'token-options-conflict',
        `${allow.length > 0 ? '--allow' : 'A rule'} requires --type custom`,
      );
    return withProject(call, async (project) => {
      const { tokens } = project.access;
      const permissions = permissionsOf(project, allow, call.options);
      const held = { name: `token ${name}`, holder: 'token' as const, permissions };
      const problems = ruleProblems(project, held);
      if (problems.length > 0) throw refused(problems.join('\n'));
      if (dryRun) {
        await tokens.checkName(name);
        return {
          data: { name, type, permissions, lifespan, dryRun },
          notes: [
            [`Token ${name} (${type}) would be created.`, ...permissions.map(permissionText)].join('\n'),
          ],
        };
      }
      const given = { name, type, permissions, lifespan };
      const { token, key } = await tokens.create({
        ...given,
        ...(description !== undefined && { description }),
      });
      const { expiresAt } = token;
      const valid = expiresAt ? `until ${expiresAt.toISOString()}` : 'forever';
      return {
        data: { name, type, expiresAt, key },
        notes: [`Token ${name} (${type}), valid ${valid}. The key will not be shown again:`],
        text: key,
      };
    });
  },
});

const list = command({
  name: 'list',
  does: 'list the name, type, expiry and last use of each token',
  async run(call) {
    const tokens = await withProject(call, ({ access }) => access.tokens.all());
    const data = tokens.map(({ accessKey: _, permissions: grants, rules = [], ...token }) => ({
      ...token,
      permissions: heldActions({ grants, rules }),
      rules: writtenPermissions({ grants: [], rules }),
    }));
    const day = (date: Date | null): string => date?.toISOString().slice(0, 16) ?? 'never';
    const rows = data.map(({ name, type, expiresAt, lastUsedAt, permissions, rules }) => {
      const ruled = new Set(rules.map(actionOf));
      const shown = [...permissions.filter((action) => !ruled.has(action)), ...rules.map(permissionText)];
      return [name, type, day(expiresAt), day(lastUsedAt), shown.join(' ')];
    });
    return { data, text: table(['name', 'type', 'expires', 'last used', 'actions'], rows) };
  },
});

const revoke = command({
  name: 'revoke <name>',
  does: 'revoke a token',
  options: [['--dry-run', 'check that the token exists, without revoking it']],
  async run(call: CommandLine<{ readonly dryRun?: boolean }>, name: string) {
    const { dryRun = false } = call.options;
    const found = await withProject(call, async ({ access: { tokens } }) =>
      dryRun ? (await tokens.all()).some((token) => token.name === name) : tokens.revoke(name),
    );
    if (!found) throw errors.application('token-not-found', `There is no token ${name}`);
    const says = dryRun ? 'would be revoked' : 'is revoked; running servers reject it within five seconds';
    return { data: { ok: true, name, ...(dryRun && { dryRun }) }, notes: [`Token ${name} ${says}.`] };
  },
});

/** `mangrove token create|list|revoke`: API tokens. */
export const token = command({ name: 'token', does: 'manage API tokens', commands: [create, list, revoke] });
