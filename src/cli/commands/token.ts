import { type Command, Option } from 'commander';
import type { NewToken, TokenType } from '../../access/index.js';
import { errors } from '../../errors.js';
import { note, print, printJson, table } from '../../terminal/output.js';
import { globalsOf } from '../globals.js';
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

/** What a token would be; there is no key to show. */
const reportDryRun = (
  command: Command,
  { name, type, permissions = [], lifespan = null }: NewToken,
): void => {
  if (globalsOf(command).json) printJson({ name, type, permissions, lifespan, dryRun: true });
  else
    note(`Token ${name} (${type}) would be created.${permissions.map((action) => `\n${action}`).join('')}`);
};

const create = async (name: string, options: CreateOptions, command: Command): Promise<void> => {
  const { type, allow, lifespan, description, dryRun = false } = options;
  if (type !== 'custom' && allow.length > 0)
    throw errors.application('token-options-conflict', '--allow requires --type custom');
  const made = await withProject(command, async (project) => {
    const { access } = project;
    const permissions = type === 'custom' ? checkActions(project, allow) : [];
    const wanted: NewToken = {
      name,
      type,
      permissions,
      lifespan,
      ...(description !== undefined && { description }),
    };
    if (!dryRun) return access.tokens.create(wanted);
    await access.tokens.checkName(name);
    return wanted;
  });
  if (!('key' in made)) return reportDryRun(command, made);
  const { token, key } = made;
  if (globalsOf(command).json) printJson({ name, type, expiresAt: token.expiresAt, key });
  else {
    note(
      `Token ${name} (${type}), valid ${token.expiresAt ? `until ${token.expiresAt.toISOString()}` : 'forever'}. The key will not be shown again:`,
    );
    print(key);
  }
};

const list = async (_: unknown, command: Command): Promise<void> => {
  const tokens = await withProject(command, ({ access }) => access.tokens.all());
  const shown = tokens.map(({ accessKey: _, ...token }) => token);
  if (globalsOf(command).json) return printJson(shown);
  const day = (date: Date | null, none: string): string => date?.toISOString().slice(0, 16) ?? none;
  const rows = shown.map((t) => [
    t.name,
    t.type,
    day(t.expiresAt, 'never'),
    day(t.lastUsedAt, 'never'),
    t.permissions.join(' '),
  ]);
  print(table(['name', 'type', 'expires', 'last used', 'actions'], rows));
};

const revoke = async (
  name: string,
  { dryRun = false }: { readonly dryRun?: boolean },
  command: Command,
): Promise<void> => {
  const found = await withProject(command, async ({ access }) =>
    dryRun ? (await access.tokens.all()).some((token) => token.name === name) : access.tokens.revoke(name),
  );
  if (!found) throw errors.application('token-not-found', `There is no token ${name}`);
  if (globalsOf(command).json) printJson({ ok: true, name, ...(dryRun && { dryRun }) });
  else if (dryRun) note(`Token ${name} would be revoked.`);
  else note(`Token ${name} is revoked; running servers reject it within five seconds.`);
};

/** `mangrove token create|list|revoke`: API tokens (rules H.2). */
export function register(program: Command): void {
  const token = program.command('token').description('manage API tokens');
  token
    .command('create <name>')
    .description('create a token and print its key, which is not shown again')
    .addOption(new Option('--type <type>', 'its permissions').choices(TYPES).default('read-only'))
    .option('--allow <actions...>', 'actions of a custom token, such as api::article.article.find', [])
    .option('--lifespan <time>', '30d, 12h or forever', parseLifespan, null)
    .option('--description <text>', 'its purpose')
    .option('--dry-run', 'check the name and the actions, without creating the token')
    .addHelpText(
      'after',
      `
Examples:
  $ mangrove token create website
  $ mangrove token create importer --type full-access --lifespan 1d
  $ mangrove token create form --type custom --allow api::message.message.create`,
    )
    .action(create);
  token.command('list').description('list the name, type, expiry and last use of each token').action(list);
  token
    .command('revoke <name>')
    .description('end a token')
    .option('--dry-run', 'check that the token exists, without revoking it')
    .action(revoke);
}
