/** A request that runs out of time changes nothing of an account, or completes all it started to change. */
import { expect } from 'chai';
import type { Operations } from '../../src/access/index.js';
import type { Budget } from '../../src/limits/budget.js';
import type { StoredRole } from '../../src/store/access/roles.js';
import type { StoredUser } from '../../src/store/access/users.js';
import { budgetOf } from '../support/budget.js';
import { startTestServer, type TestServer } from '../support/test-server.js';

const PASSWORD = 'Correct-horse-1';
const CHANGED = ['users', 'roles', 'sessions', 'tokens'];

/** What an operation works with. */
interface Made {
  readonly user: StoredUser;
  readonly role: StoredRole;
  readonly refreshToken: string;
}

type Operation = (within: Operations, made: Made, name: string) => Promise<unknown>;

const register: Operation = ({ users }, _, name) =>
  users.register({ username: name, email: `${name}@example.test`, password: PASSWORD });

const OPERATIONS: Readonly<Record<string, Operation>> = {
  'a registration': register,
  'an account created for another person': ({ users }, { role }, name) =>
    users.create({ username: name, email: `${name}@example.test`, password: PASSWORD, role: role.id }),
  'a changed account': ({ users }, { user }, name) => users.edit(user.id, { username: name }),
  'a deleted account': ({ users }, { user }) => users.remove(user.id),
  'a changed password': ({ users }, { user }, name) =>
    users.changePassword(user.id, {
      currentPassword: PASSWORD,
      password: `${PASSWORD} ${name}`,
      passwordConfirmation: `${PASSWORD} ${name}`,
    }),
  'an emailed code': ({ users }, { user }) => users.forgotPassword({ email: user.email }),
  'a session': ({ sessions }, { user }) => sessions.issue(user, null),
  'a refreshed session': ({ sessions }, { refreshToken }) => sessions.refresh(refreshToken),
  'an ended session': ({ sessions }, { refreshToken }) => sessions.end(refreshToken.split('.')[0] ?? ''),
  'a role': ({ roles }, _, name) => roles.create({ name, type: name, description: '', grants: [] }),
  'a changed role': ({ roles }, { role }, name) => roles.change(role, { description: name }),
  'a deleted role': ({ roles }, { role }) => roles.remove(role),
  'a token': ({ tokens }, _, name) => tokens.create({ name, type: 'full-access' }),
};

describe('security: accounts and requests that ran out of time', function () {
  this.timeout(180_000);
  let server: TestServer;
  let count = 0;
  before(async () => {
    const usersPermissions = { jwtManagement: 'refresh' as const };
    server = await startTestServer({ plugins: { usersPermissions } });
  });
  after(() => server.close());

  const stored = async (): Promise<string> => {
    const { db } = server.project.store;
    const rows = CHANGED.map((name) => db.collection(`mangrove.${name}`).find().sort({ _id: 1 }).toArray());
    return JSON.stringify(await Promise.all(rows));
  };
  const prepare = async (): Promise<Made> => {
    const { users, roles, sessions } = server.project.access;
    count += 1;
    const name = `somebody${count}`;
    const role = await roles.create({ name, type: name, description: '', grants: [] });
    const body = { username: name, email: `${name}@example.test`, password: PASSWORD, role: role.id };
    const user = await users.create({ ...body, confirmed: true });
    const { refreshToken = '' } = await sessions.issue(user);
    return { user, role, refreshToken };
  };
  /** A request that is over immediately, or as soon as something is about to be changed. */
  const over = (when: 'at once' | 'with the first change'): Budget => {
    const controller = new AbortController();
    const end = (): void => controller.abort(new Error('over'));
    if (when === 'at once') queueMicrotask(end);
    const stop = when === 'with the first change' ? end : () => undefined;
    return budgetOf({ signal: controller.signal, clock: { stop, start: () => undefined } });
  };

  for (const [what, operation] of Object.entries(OPERATIONS)) {
    it(`${what}: if over before the change, nothing is changed`, async () => {
      const made = await prepare();
      const before = await stored();
      const within = server.project.access.forRequest(over('at once'));
      await Promise.resolve();
      const error = await operation(within, made, `name${count}`).catch((thrown: Error) => thrown.message);
      expect(error).to.equal('over');
      expect(await stored()).to.equal(before);
    });

    it(`${what}: if over during the change, it is completed`, async () => {
      const made = await prepare();
      const before = await stored();
      const within = server.project.access.forRequest(over('with the first change'));
      await operation(within, made, `name${count}`);
      expect(await stored()).to.not.equal(before);
    });
  }

  it('using a code sets the password even if the caller disconnects in between', async () => {
    const { user } = await prepare();
    const { users, sessions } = server.project.access;
    await users.forgotPassword({ email: user.email });
    const text = server.emails.findLast(({ to }) => to === user.email)?.text ?? '';
    const [, code = ''] = /code=(\w+)/.exec(text) ?? [];
    const body = { code, password: 'Another-horse-2', passwordConfirmation: 'Another-horse-2' };
    await server.project.access.forRequest(over('with the first change')).users.resetPassword(body);
    const signedIn = await sessions.signIn({ identifier: user.email, password: body.password });
    expect(signedIn.id).to.equal(user.id);
  });
});
