import { randomBytes } from 'node:crypto';
import type { StoredUser } from '../../access/index.js';
import { errors } from '../../errors.js';
import type { Project } from '../../project.js';
import { table } from '../../terminal/output.js';
import { type CommandLine, type CommandResult, command, required } from '../command.js';
import { findRole } from '../find-role.js';
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

const PASSWORD = [
  '--password <text>',
  'default: MANGROVE_PASSWORD, otherwise one is generated and printed',
] as const;
const DRY_RUN = ['--dry-run', 'check everything, without changing anything'] as const;

/**
 * The password from the command line or the environment; otherwise a generated one, which is to be printed.
 */
const passwordOf = ({ password = process.env['MANGROVE_PASSWORD'] }: PasswordOptions) => ({
  password: password ?? randomBytes(12).toString('base64url'),
  made: password === undefined,
});

/** The account with this name, address or numeric id. */
const userOf = async ({ access }: Project, named: string): Promise<StoredUser> => {
  const found = await access.users.named(named);
  if (found) return found;
  throw errors.application('user-not-found', `There is no user ${named}; mangrove user list shows them`);
};

const list = command({
  name: 'list',
  does: 'list the id, name, email address, role and state of each account',
  options: [['--role <type>', 'only accounts with this role']],
  async run(call: CommandLine<{ readonly role?: string }>) {
    const wanted = call.options.role;
    const data = await withProject(call, async (project) => {
      const only = wanted === undefined ? null : (await findRole(project, wanted)).documentId;
      const roles = (await project.access.roles.all()).map(({ role }) => role);
      const types = new Map(roles.map(({ documentId, type }) => [documentId, type]));
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
    const rows = data.map(({ id, username, email, role, blocked, confirmed }) => {
      const state = blocked ? 'blocked' : confirmed ? '' : 'not confirmed';
      return [String(id), username, email, role ?? '(none)', state];
    });
    return { data, text: table(['id', 'username', 'email', 'role', 'state'], rows) };
  },
});

const create = command({
  name: 'create <username>',
  does: 'create a confirmed account',
  options: [
    required('--email <address>', 'its address'),
    ['--role <type>', 'the type of its role', 'authenticated'],
    PASSWORD,
    DRY_RUN,
  ],
  help: `
Example:
  $ mangrove user create ann --email ann@example.org --role editor`,
  run: (call: CommandLine<CreateOptions>, username: string): Promise<CommandResult> =>
    withProject(call, async (project) => {
      const { email, role, dryRun = false } = call.options;
      const { password, made } = passwordOf(call.options);
      const { documentId } = await findRole(project, role);
      const body = { username, email, password, confirmed: true, role: documentId };
      const account = await project.access.users.check(body);
      if (dryRun)
        return {
          data: { username, email, role, dryRun },
          notes: [`User ${username} with role ${role} would be created.`],
        };
      const user = await project.access.users.make(account);
      const shown = made ? ' The password will not be shown again:' : '';
      return {
        data: { id: user.id, documentId: user.documentId, ...(made && { password }) },
        notes: [`User ${username} with role ${role} has id ${user.id}.${shown}`],
        text: made ? password : undefined,
      };
    }),
});

/** Finds an account, changes it as an administrator's PUT would, and reports the change. */
const change = (
  call: CommandLine<DryRun>,
  named: string,
  says: string,
  body: (project: Project) => Promise<object> | object,
): Promise<CommandResult & { readonly data: object }> =>
  withProject(call, async (project) => {
    const { dryRun = false } = call.options;
    const { id, username } = await userOf(project, named);
    const changed = await body(project);
    if (!dryRun) await project.access.users.edit(id, changed);
    return {
      data: { id, username, ...(dryRun && { dryRun }) },
      notes: [`User ${username} ${dryRun ? 'would be' : 'is'} changed: ${says}.`],
    };
  });

const existing = (name: string, does: string) => ({
  name,
  does: `${does}; <user> is a name, an email address or an id`,
  options: [DRY_RUN],
});

const password = command({
  ...existing('password <user>', 'set a new password for an account'),
  options: [PASSWORD, DRY_RUN],
  async run(call: CommandLine<PasswordOptions>, named: string) {
    const { password, made } = passwordOf(call.options);
    const says = 'a new password; all existing sessions and tokens end';
    const outcome = await change(call, named, says, () => ({ password }));
    if (!made || call.options.dryRun) return outcome;
    return { ...outcome, data: { ...outcome.data, password }, text: password };
  },
});

const block = command({
  ...existing('block <user>', 'block an account, and end its sessions'),
  run: (call: CommandLine<DryRun>, named: string) =>
    change(call, named, 'blocked; every session and token ends', () => ({ blocked: true })),
});

const unblock = command({
  ...existing('unblock <user>', 'unblock an account'),
  run: (call: CommandLine<DryRun>, named: string) =>
    change(call, named, 'may sign in again', () => ({ blocked: false })),
});

const setRole = command({
  ...existing('role <user> <type>', 'change the role of an account'),
  run: (call: CommandLine<DryRun>, named: string, type: string) =>
    change(call, named, `role ${type}`, async (project) => ({
      role: (await findRole(project, type)).documentId,
    })),
});

const remove = command({
  ...existing('delete <user>', 'delete an account with its sessions'),
  run: (call: CommandLine<DryRun>, named: string) =>
    withProject(call, async (project) => {
      const { dryRun = false } = call.options;
      const { id, username } = await userOf(project, named);
      if (!dryRun) await project.access.users.remove(id);
      return {
        data: { id, username, ...(dryRun && { dryRun }) },
        notes: [`User ${username} ${dryRun ? 'would be' : 'is'} deleted.`],
      };
    }),
});

/** `mangrove user`: manages accounts. */
export const user = command({
  name: 'user',
  does: 'manage accounts of the users-permissions plugin',
  commands: [list, create, password, block, unblock, setRole, remove],
});
