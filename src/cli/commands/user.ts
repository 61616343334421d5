import { randomBytes } from 'node:crypto';
import type { Command } from 'commander';
import { errors } from '../../errors.js';
import type { Project } from '../../project.js';
import type { StoredUser } from '../../store/access/users.js';
import { note, print, printJson, table } from '../../terminal/output.js';
import { didYouMean } from '../../values/nearest.js';
import { globalsOf } from '../globals.js';
import { withProject } from '../with-project.js';

interface DryRun {
  readonly dryRun?: boolean;
}

interface PasswordOptions extends DryRun {
  readonly password?: string;
}

interface CreateOptions extends PasswordOptions {
  readonly email: string;
  readonly role: string;
}

/** A password that was given on the command line or in the environment; else a new one, which is to be shown. */
const passwordOf = ({ password = process.env['MANGROVE_PASSWORD'] }: PasswordOptions) => ({
  password: password ?? randomBytes(12).toString('base64url'),
  made: password === undefined,
});

const roleOf = async ({ access }: Project, type: string): Promise<string> => {
  const entries = await access.roles.all();
  const found = entries.find(({ role }) => role.type === type);
  if (found) return found.role.documentId;
  const types = entries.map(({ role }) => role.type);
  throw errors.application('role-not-found', `There is no role ${type}${didYouMean(type, types)}`);
};

/** The account that goes by this name, address or numeric id. */
const userOf = async ({ access }: Project, named: string): Promise<StoredUser> => {
  const user = await access.users.named(named);
  if (user) return user;
  throw errors.application('user-not-found', `There is no user ${named}; mangrove user list shows them`);
};

const create = async (username: string, options: CreateOptions, command: Command): Promise<void> => {
  const { email, role, dryRun = false } = options;
  const { password, made } = passwordOf(options);
  const user = await withProject(command, async (project) => {
    const body = { username, email, password, confirmed: true, role: await roleOf(project, role) };
    const account = await project.access.users.check(body);
    return dryRun ? null : project.access.users.make(account);
  });
  if (user === null) {
    if (globalsOf(command).json) printJson({ username, email, role, dryRun: true });
    else note(`User ${username} with role ${role} would be created.`);
    return;
  }
  if (globalsOf(command).json)
    return printJson({ id: user.id, documentId: user.documentId, ...(made && { password }) });
  note(
    `User ${username} with role ${role} has id ${user.id}.${made ? ' The password will not be shown again:' : ''}`,
  );
  if (made) print(password);
};

const list = async ({ role }: { readonly role?: string }, command: Command): Promise<void> => {
  const users = await withProject(command, async (project) => {
    const only = role === undefined ? null : await roleOf(project, role);
    const entries = await project.access.roles.all();
    const types = new Map(entries.map((entry) => [entry.role.documentId, entry.role.type]));
    return (await project.access.users.list(only)).map((user) => ({
      id: user.id,
      username: user.username,
      email: user.email,
      role: types.get(user.role ?? '') ?? null,
      confirmed: user.confirmed === true,
      blocked: user.blocked === true,
      createdAt: user.createdAt,
    }));
  });
  if (globalsOf(command).json) return printJson(users);
  const stateOf = ({ blocked, confirmed }: (typeof users)[number]): string =>
    blocked ? 'blocked' : confirmed ? '' : 'not confirmed';
  const rows = users.map((user) => [
    String(user.id),
    user.username,
    user.email,
    user.role ?? '(none)',
    stateOf(user),
  ]);
  print(table(['id', 'username', 'email', 'role', 'state'], rows));
};

interface Changing {
  readonly body: (project: Project) => Promise<object> | object;
  /** What has changed, for people. */
  readonly says: string;
  /** What a program is told besides. */
  readonly shown?: object;
}

/** Finds the account, changes it as a PUT of an administrator would, and says what it is now. */
const change = async (
  command: Command,
  named: string,
  dryRun: boolean,
  { body, says, shown }: Changing,
): Promise<void> => {
  const user = await withProject(command, async (project) => {
    const found = await userOf(project, named);
    const changed = await body(project);
    if (!dryRun) await project.access.users.edit(found.id, changed);
    return found;
  });
  if (globalsOf(command).json)
    printJson({ id: user.id, username: user.username, ...shown, ...(dryRun && { dryRun }) });
  else note(`User ${user.username} ${dryRun ? 'would be' : 'is'} changed: ${says}.`);
};

const setPassword = async (named: string, options: PasswordOptions, command: Command): Promise<void> => {
  const { password, made } = passwordOf(options);
  const dryRun = options.dryRun ?? false;
  const says = 'a new password; all existing sessions and tokens end';
  const shown = made && !dryRun ? { password } : {};
  await change(command, named, dryRun, { body: () => ({ password }), says, shown });
  if (made && !dryRun && !globalsOf(command).json) print(password);
};

const setBlocked =
  (blocked: boolean) =>
  (named: string, { dryRun = false }: DryRun, command: Command): Promise<void> =>
    change(command, named, dryRun, {
      body: () => ({ blocked }),
      says: blocked ? 'blocked; every session and token ends' : 'may sign in again',
    });

const setRole = (named: string, type: string, { dryRun = false }: DryRun, command: Command): Promise<void> =>
  change(command, named, dryRun, {
    body: async (project) => ({ role: await roleOf(project, type) }),
    says: `role ${type}`,
  });

const remove = async (named: string, { dryRun = false }: DryRun, command: Command): Promise<void> => {
  const user = await withProject(command, async (project) => {
    const found = await userOf(project, named);
    if (!dryRun) await project.access.users.remove(found.id);
    return found;
  });
  if (globalsOf(command).json) printJson({ id: user.id, username: user.username, ...(dryRun && { dryRun }) });
  else note(`User ${user.username} ${dryRun ? 'would be' : 'is'} deleted.`);
};

/** `mangrove user`: accounts that can sign in (rules H.3). */
export function register(program: Command): void {
  const user = program.command('user').description('manage accounts of the users-permissions plugin');
  const password = [
    '--password <text>',
    'default: MANGROVE_PASSWORD, otherwise one is generated and printed',
  ] as const;
  const dryRun = ['--dry-run', 'check everything, without changing anything'] as const;
  user
    .command('list')
    .description('list the id, name, email address, role and state of each account')
    .option('--role <type>', 'only accounts with this role')
    .action(list);
  user
    .command('create <username>')
    .description('create a confirmed account')
    .requiredOption('--email <address>', 'its address')
    .option('--role <type>', 'the type of its role', 'authenticated')
    .option(...password)
    .option(...dryRun)
    .addHelpText(
      'after',
      `
Example:
  $ mangrove user create ann --email ann@example.org --role editor`,
    )
    .action(create);
  const existing = (name: string, description: string): Command =>
    user.command(name).description(`${description}; <user> is a name, an email address or an id`);
  existing('password <user>', 'set a new password for an account')
    .option(...password)
    .option(...dryRun)
    .action(setPassword);
  existing('block <user>', 'block an account, and end its sessions')
    .option(...dryRun)
    .action(setBlocked(true));
  existing('unblock <user>', 'unblock an account')
    .option(...dryRun)
    .action(setBlocked(false));
  existing('role <user> <type>', 'change the role of an account')
    .option(...dryRun)
    .action(setRole);
  existing('delete <user>', 'delete an account with its sessions')
    .option(...dryRun)
    .action(remove);
}
