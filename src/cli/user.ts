import { randomBytes } from 'node:crypto';
import type { Command } from 'commander';
import { createAccount } from '../access/accounts.js';
import { checkNewUser } from '../access/user-admin.js';
import { errors } from '../errors.js';
import { globalsOf } from './globals.js';
import { note, print, printJson } from './output.js';
import { withProject } from './with-project.js';

interface CreateOptions {
  readonly email: string;
  readonly role: string;
  readonly password?: string;
  readonly dryRun?: boolean;
}

const create = async (username: string, options: CreateOptions, command: Command): Promise<void> => {
  const { email, role, dryRun = false } = options;
  const password =
    options.password ?? process.env['MANGROVE_PASSWORD'] ?? randomBytes(12).toString('base64url');
  const made = options.password === undefined && process.env['MANGROVE_PASSWORD'] === undefined;
  const user = await withProject(command, async ({ access }) => {
    const known = await access.deps.directory.roleByType(role);
    if (!known) throw errors.application('role-not-found', `There is no role ${role}`);
    const body = { username, email, password, confirmed: true, role: known.role.documentId };
    const account = await checkNewUser(access.deps, body);
    return dryRun ? null : createAccount(access.deps, account);
  });
  if (user === null) {
    if (globalsOf(command).json) printJson({ username, email, role, dryRun: true });
    else note(`User ${username} with role ${role} would be made.`);
    return;
  }
  if (globalsOf(command).json)
    return printJson({ id: user.id, documentId: user.documentId, ...(made && { password }) });
  note(
    `User ${username} with role ${role} has id ${user.id}.${made ? ' The password is shown this once:' : ''}`,
  );
  if (made) print(password);
};

/** `mangrove user create`: an account that can sign in at once (rules H.3). */
export function register(program: Command): void {
  const user = program.command('user').description('accounts of the users-permissions plugin');
  user
    .command('create <username>')
    .description('make a confirmed account')
    .requiredOption('--email <address>', 'its address')
    .option('--role <type>', 'the type of its role', 'authenticated')
    .option('--password <text>', 'else MANGROVE_PASSWORD, else one is made and printed')
    .option('--dry-run', 'check everything, make nothing')
    .addHelpText(
      'after',
      `
Example:
  $ mangrove user create ann --email ann@example.org --role editor`,
    )
    .action(create);
}
