import { Option } from 'commander';
import type { TokenType } from '../../access/index.js';
import { errors } from '../../errors.js';
import { table } from '../../terminal/output.js';
import { type CommandLine, command } from '../command.js';
import { checkActions } from '../known-actions.js';
import { parseLifespan } from '../lifespan.js';
import { withProject } from '../with-project.js';

const TYPES: readonly TokenType[] = ['read-only', 'full-access', 'custom'];

interface CreateOptions {
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
      'actions of a custom token, such as api::article.article.find',
    ).default([]),
    new Option('--lifespan <time>', '30d, 12h or forever').argParser(parseLifespan).default(null),
    ['--description <text>', 'its purpose'],
    ['--dry-run', 'check the name and the actions, without creating the token'],
  ],
  help: `
Examples:
  $ mangrove token create website
  $ mangrove token create importer --type full-access --lifespan 1d
  $ mangrove token create form --type custom --allow api::message.message.create`,
  async run(call: CommandLine<CreateOptions>, name: string) {
    const { type, allow, lifespan, description, dryRun = false } = call.options;
    if (type !== 'custom' && allow.length > 0)
      throw errors.application('token-options-conflict', '--allow requires --type custom');
    return withProject(call, async (project) => {
      const { tokens } = project.access;
      const permissions = type === 'custom' ? checkActions(project, allow) : [];
      if (dryRun) {
        await tokens.checkName(name);
        return {
          data: { name, type, permissions, lifespan, dryRun },
          notes: [[`Token ${name} (${type}) would be created.`, ...permissions].join('\n')],
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
    const data = tokens.map(({ accessKey: _, ...token }) => token);
    const day = (date: Date | null): string => date?.toISOString().slice(0, 16) ?? 'never';
    const rows = data.map(({ name, type, expiresAt, lastUsedAt, permissions }) => [
      name,
      type,
      day(expiresAt),
      day(lastUsedAt),
      permissions.join(' '),
    ]);
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
