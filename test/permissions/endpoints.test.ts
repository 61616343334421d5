/** Every endpoint of rules H.3 with its errors, as tables: what the recorded cases leave out. */
import { expect } from 'chai';
import { type Received, type Sent, send } from '../support/send.js';
import { startTestServer, type TestServer } from '../support/test-server.js';

const PASSWORD = 'secret-1';
const account = (username: string) => ({ username, email: `${username}@example.test`, password: PASSWORD });
const USER_KEYS =
  'id documentId username email provider confirmed blocked createdAt updatedAt publishedAt'.split(' ');

/** Status, then the message, and the message of each field if there are several. */
const saying = (answer: Received): string => {
  const list = (answer.at('error.details.errors') ?? []) as { path: string[]; message: string }[];
  const each =
    list.length > 1
      ? ` (${list
          .map(({ message }) => message)
          .sort()
          .join('; ')})`
      : '';
  return `${answer.status} ${answer.at('error.name')}: ${answer.at('error.message')}${each}`;
};

type Case = readonly [method: string, path: string, body: unknown, message: string];

describe('account and role endpoints', function () {
  this.timeout(180_000);
  let server: TestServer;
  let full: string;
  let jwt: string;
  let userId: number;
  before(async () => {
    const off = { ratelimit: { enabled: false, interval: 1000, max: 1 } };
    server = await startTestServer({ plugins: { usersPermissions: off } });
    full = (await server.project.access.tokens.create({ name: 'full', type: 'full-access' })).key;
    const made = await ask('/auth/local/register', { body: account('amy') });
    jwt = made.at('jwt') as string;
    userId = made.at('user.id') as number;
    await ask('/auth/local/register', { body: account('bob') });
  });
  after(() => server.close());
  const ask = (path: string, sent?: Sent) => send(server.url, `/api${path}`, sent);
  const table = (cases: readonly Case[], token: () => string | undefined): void => {
    for (const [method, path, body, answer] of cases)
      it(`${method} ${path} ${JSON.stringify(body) ?? ''}: ${answer}`, async () =>
        expect(saying(await ask(path, { method, body, token: token() }))).to.equal(answer));
  };

  describe('as the public', () => {
    table(
      [
        [
          'POST',
          '/auth/local',
          [],
          '400 ValidationError: this must be a `object` type, but the final value was: `[]`.',
        ],
        [
          'POST',
          '/auth/local',
          { identifier: ['amy'], password: PASSWORD },
          '400 ValidationError: identifier must be a `string` type, but the final value was: `[\n  "\\"amy\\""\n]`.',
        ],
        [
          'POST',
          '/auth/local',
          { identifier: null, password: PASSWORD },
          '400 ValidationError: identifier must be a `string` type, but the final value was: `null`.',
        ],
        [
          'POST',
          '/auth/local',
          { identifier: '', password: '' },
          '400 ValidationError: 2 errors occurred (identifier is a required field; password is a required field)',
        ],
        [
          'POST',
          '/auth/local/register',
          {},
          '400 ValidationError: 3 errors occurred (email is a required field; password is a required field; username is a required field)',
        ],
        [
          'POST',
          '/auth/local/register',
          { ...account('cat'), role: 1 },
          '400 ValidationError: Invalid parameters: role',
        ],
        [
          'POST',
          '/auth/local/register',
          { ...account('cat'), a: 1, b: 2 },
          '400 ValidationError: Invalid parameters: a, b',
        ],
        [
          'POST',
          '/auth/local/register',
          { ...account('cat'), email: 'cat' },
          '400 ValidationError: email must be a valid email',
        ],
        [
          'POST',
          '/auth/local/register',
          { ...account('cat'), password: 'short' },
          '400 ValidationError: password must be at least 6 characters',
        ],
        [
          'POST',
          '/auth/local/register',
          { ...account('cat'), password: 'x'.repeat(73) },
          '400 ValidationError: Password must be less than 73 bytes',
        ],
        [
          'POST',
          '/auth/local/register',
          { ...account('cat'), email: 'AMY@example.test' },
          '400 ApplicationError: Email or Username are already taken',
        ],
        [
          'POST',
          '/auth/local/register',
          { ...account('cat'), username: 'amy@example.test' },
          '400 ApplicationError: Email or Username are already taken',
        ],
        ['POST', '/auth/forgot-password', {}, '400 ValidationError: email is a required field'],
        [
          'POST',
          '/auth/forgot-password',
          { email: 'amy' },
          '400 ValidationError: email must be a valid email',
        ],
        [
          'POST',
          '/auth/forgot-password',
          { email: 'amy@example.test', url: 'https://example.test', next: 1 },
          '400 ValidationError: this field has unspecified keys: url, next',
        ],
        [
          'POST',
          '/auth/reset-password',
          {},
          '400 ValidationError: 3 errors occurred (code is a required field; password is a required field; passwordConfirmation is a required field)',
        ],
        [
          'POST',
          '/auth/reset-password',
          { code: 'x', password: 'secret-2', passwordConfirmation: 'secret-3' },
          '400 ValidationError: Passwords do not match',
        ],
        [
          'POST',
          '/auth/reset-password',
          { code: 'x', password: 'secret-2', passwordConfirmation: '' },
          '400 ValidationError: Passwords do not match',
        ],
        [
          'POST',
          '/auth/reset-password',
          { code: 'x', password: 'secret-2', passwordConfirmation: 'secret-2' },
          '400 ValidationError: Incorrect code provided',
        ],
        ['POST', '/auth/change-password', {}, '403 ForbiddenError: Forbidden'],
        [
          'GET',
          '/auth/email-confirmation',
          undefined,
          '400 ValidationError: confirmation is a required field',
        ],
        [
          'GET',
          '/auth/email-confirmation?confirmation=nope',
          undefined,
          '400 ValidationError: Invalid token',
        ],
        ['POST', '/auth/send-email-confirmation', {}, '400 ValidationError: email is a required field'],
        ['GET', '/connect/google', undefined, '400 ApplicationError: This provider is disabled'],
        ['GET', '/auth/google/callback', undefined, '400 ApplicationError: This provider is disabled'],
        ['POST', '/auth/refresh', {}, '404 NotFoundError: Not Found'],
        ['POST', '/auth/logout', {}, '403 ForbiddenError: Forbidden'],
        ['GET', '/auth/sessions', undefined, '403 ForbiddenError: Forbidden'],
        ['DELETE', '/auth/sessions/x', undefined, '403 ForbiddenError: Forbidden'],
        ['GET', '/users', undefined, '403 ForbiddenError: Forbidden'],
        ['GET', '/users/count', undefined, '403 ForbiddenError: Forbidden'],
        ['GET', '/users/me', undefined, '403 ForbiddenError: Forbidden'],
        ['GET', '/users/1', undefined, '403 ForbiddenError: Forbidden'],
        ['POST', '/users', {}, '403 ForbiddenError: Forbidden'],
        ['PUT', '/users/1', {}, '403 ForbiddenError: Forbidden'],
        ['DELETE', '/users/1', undefined, '403 ForbiddenError: Forbidden'],
        ['GET', '/users-permissions/roles', undefined, '403 ForbiddenError: Forbidden'],
        ['GET', '/users-permissions/permissions', undefined, '403 ForbiddenError: Forbidden'],
        ['POST', '/users-permissions/roles', {}, '403 ForbiddenError: Forbidden'],
      ],
      () => undefined,
    );
  });

  describe('with unknown credentials', () => {
    for (const path of ['/auth/local', '/auth/forgot-password'])
      it(`POST ${path} is a 401 before its body is checked`, async () =>
        expect(saying(await ask(path, { body: {}, token: 'nobody' }))).to.equal(
          '401 UnauthorizedError: Missing or invalid credentials',
        ));
    for (const header of ['Basic YTpi', 'Bearer', 'Bearer ', 'bearer', 'Token x', 'Bearer a b'])
      it(`"${header}" is not a credential: the caller is public`, async () =>
        expect(saying(await ask('/users/me', { headers: { authorization: header } }))).to.equal(
          '403 ForbiddenError: Forbidden',
        ));
  });

  describe('as a user', () => {
    table(
      [
        [
          'POST',
          '/auth/change-password',
          { currentPassword: 'wrong', password: 'secret-2', passwordConfirmation: 'secret-2' },
          '400 ValidationError: The provided current password is invalid',
        ],
        [
          'POST',
          '/auth/change-password',
          { currentPassword: PASSWORD, password: PASSWORD, passwordConfirmation: PASSWORD },
          '400 ValidationError: Your new password must be different than your current password',
        ],
        ['GET', '/users', undefined, '403 ForbiddenError: Forbidden'],
        ['PUT', '/users/1', { blocked: true }, '403 ForbiddenError: Forbidden'],
        ['GET', '/users/me?filters[password]=x', undefined, '400 ValidationError: Invalid key password'],
        ['POST', '/auth/logout', {}, '404 NotFoundError: Not Found'],
        ['GET', '/auth/sessions', undefined, '404 NotFoundError: Not Found'],
      ],
      () => jwt,
    );

    it('GET /users/me: ten keys; the role only with the grant to see roles', async () => {
      expect((await ask('/users/me', { token: jwt })).body).to.have.all.keys(USER_KEYS);
      expect((await ask('/users/me?populate=role', { token: jwt })).body).to.have.all.keys(USER_KEYS);
      expect((await ask('/users/me?fields=username', { token: jwt })).body).to.have.all.keys(
        'id',
        'documentId',
        'username',
      );
      const role = (await server.project.access.roles.byType('authenticated'))?.role;
      if (!role) throw new Error('no role');
      const grants = [...role.grants, 'plugin::users-permissions.role.find'];
      await server.project.access.roles.change(role, { grants });
      expect((await ask('/users/me?populate=role', { token: jwt })).at('role.type')).to.equal(
        'authenticated',
      );
      await server.project.access.roles.change(role, { grants: role.grants });
    });
  });

  describe('as an API token', () => {
    const user = { username: 'dan', email: 'dan@example.test', password: PASSWORD };
    table(
      [
        ['GET', '/users/me', undefined, '401 UnauthorizedError: Unauthorized'],
        [
          'POST',
          '/auth/change-password',
          { currentPassword: PASSWORD, password: 'secret-2', passwordConfirmation: 'secret-2' },
          '400 ApplicationError: You must be authenticated to reset your password',
        ],
        [
          'POST',
          '/users',
          {},
          '400 ValidationError: 4 errors occurred (email is a required field; password is a required field; role is a required field; username is a required field)',
        ],
        ['POST', '/users', user, '400 ValidationError: role is a required field'],
        [
          'POST',
          '/users',
          { ...user, role: 1, username: 'amy' },
          '400 ApplicationError: This attribute must be unique',
        ],
        [
          'POST',
          '/users',
          { ...user, role: 1, email: 'AMY@example.test' },
          '400 ApplicationError: Email already taken',
        ],
        [
          'POST',
          '/users',
          { ...user, role: 1, confirmed: 'yes' },
          '400 ApplicationError: confirmed must be a `boolean` type, but the final value was: `"yes"`.',
        ],
        [
          'POST',
          '/users',
          { ...user, role: 99 },
          '400 ApplicationError: 1 relation(s) of type plugin::users-permissions.role associated with this entity do not exist',
        ],
        [
          'POST',
          '/users',
          { ...user, role: 1, username: 'ab', email: 'a@b.ch', confirmed: 'yes', blocked: 'true' },
          '400 ApplicationError: 2 errors occurred',
        ],
        ...(
          [
            [null, 'role must be a `object` type, but the final value was: `null`.'],
            [true, 'role must be a `strapiID` type, but the final value was: `true`.'],
            [1.5, 'role must be a `strapiID` type, but the final value was: `1.5`.'],
            [{}, 'role.connect is a required field'],
            [{ set: [1] }, 'role.connect is a required field'],
            [{ connect: [] }, 'Users must have a role'],
            [{ connect: 3 }, 'role.connect must be a `array` type, but the final value was: `3`.'],
            [{ connect: [3] }, 'role.connect[0] must be a `object` type, but the final value was: `3`.'],
            [{ connect: [{}] }, 'Relation entry must include an id or documentId'],
            [
              { connect: [{ id: true }] },
              'role.connect[0].id must be a `strapiID` type, but the final value was: `true`.',
            ],
          ] as const
        ).map(
          ([role, answer]): Case => ['POST', '/users', { ...user, role }, `400 ValidationError: ${answer}`],
        ),
        [
          'POST',
          '/users',
          { ...user, role: { connect: [{ documentId: 'nope' }] } },
          '400 ApplicationError: Document with id "nope", locale "null" not found',
        ],
        [
          'PUT',
          '/users/1',
          { role: 'nope' },
          '400 ValidationError: Document with id "nope", locale "null" not found',
        ],
        [
          'PUT',
          '/users/1',
          { role: 99, blocked: 'no' },
          '400 ValidationError: 2 errors occurred (1 relation(s) of type plugin::users-permissions.role associated with this entity do not exist; blocked must be a `boolean` type, but the final value was: `"no"`.)',
        ],
        ['PUT', '/users/1', { role: '' }, '400 ValidationError: Invalid relations'],
        ['PUT', '/users/1', { role: { disconnect: [{ id: 1 }] } }, '400 ValidationError: Cannot remove role'],
        ['PUT', '/users/1', { password: 5 }, '400 ValidationError: Password must be at least 1 character'],
        [
          'PUT',
          '/users/1',
          { provider: 5 },
          '400 ValidationError: provider must be a `string` type, but the final value was: `5`.',
        ],
        [
          'PUT',
          '/users/1',
          { username: 'ab', blocked: 'no' },
          '400 ValidationError: 2 errors occurred (blocked must be a `boolean` type, but the final value was: `"no"`.; username must be at least 3 characters)',
        ],
        ['PUT', '/users/1', { id: 5 }, '400 ValidationError: Invalid key id'],
        ['PUT', '/users/1', { documentId: 'x' }, '400 ValidationError: Invalid key documentId'],
        ['PUT', '/users/1', { password: '' }, '400 ValidationError: password.notNull'],
        ['PUT', '/users/1', { password: null }, '400 ValidationError: password.notNull'],
        ['PUT', '/users/1', { email: '' }, '400 ValidationError: email must be at least 1 characters'],
        ['PUT', '/users/1', { email: 'bob@example.test' }, '400 ApplicationError: Email already taken'],
        ['PUT', '/users/1', { username: 'bob' }, '400 ApplicationError: Username already taken'],
        ['PUT', '/users/999', { username: 'x' }, '404 NotFoundError: User not found'],
        [
          'GET',
          '/users?filters[password][$notNull]=true',
          undefined,
          '400 ValidationError: Invalid key password',
        ],
        [
          'GET',
          '/users?sort=resetPasswordToken',
          undefined,
          '400 ValidationError: Invalid key resetPasswordToken',
        ],
        ['POST', '/users-permissions/roles', {}, '400 ValidationError: Request body cannot be empty'],
        ['PUT', '/users-permissions/roles/999', { name: 'x' }, '404 NotFoundError: Role not found'],
        ['GET', '/users-permissions/roles/999', undefined, '404 NotFoundError: Role not found'],
        ['DELETE', '/users-permissions/roles/999', undefined, '404 NotFoundError: Role not found'],
      ],
      () => full,
    );

    it('users: start and limit at the root of the query, counts, 204 for missing ones', async () => {
      const names = async (query: string) =>
        ((await ask(`/users?sort=id&${query}`, { token: full })).body as { username: string }[]).map(
          (u) => u.username,
        );
      expect(await names('')).to.deep.equal(['amy', 'bob']);
      expect(await names('pagination[pageSize]=1')).to.deep.equal(['amy', 'bob']);
      expect(await names('limit=1')).to.deep.equal(['amy']);
      expect(await names('start=1')).to.deep.equal(['bob']);
      expect(await names('page=2&pageSize=1')).to.deep.equal(['amy', 'bob']);
      expect(await names('filters[email][$contains]=bob')).to.deep.equal(['bob']);
      expect((await ask('/users/count', { token: full })).body).to.equal(2);
      expect((await ask('/users/count?filters[username]=bob', { token: full })).body).to.equal(1);
      for (const path of ['/users/999', '/users/amy', '/users/-1', '/users/1e0'])
        expect(
          [(await ask(path, { token: full })).status, (await ask(path, { token: full })).body],
          path,
        ).to.deep.equal([204, null]);
      expect((await ask('/users/999', { token: full, method: 'DELETE' })).status).to.equal(204);
      expect((await ask('/users/999?populate=nope', { token: full })).status).to.equal(400);
    });

    it('roles are identified by id, documentId, connect or set', async () => {
      const role = (await server.project.access.roles.byType('public'))?.role;
      for (const value of [
        role?.id,
        String(role?.id),
        role?.documentId,
        { id: role?.id },
        { connect: [{ id: role?.id }] },
        { set: [role?.id] },
      ]) {
        const answer = await ask(`/users/${userId}`, { method: 'PUT', token: full, body: { role: value } });
        expect(answer.at('role.type'), JSON.stringify(value)).to.equal('public');
        await ask(`/users/${userId}`, { method: 'PUT', token: full, body: { role: 1 } });
      }
    });

    it('an update accepts what content entries accept: another provider, nulls, no role', async () => {
      const body = { username: 'elsewhere', email: 'elsewhere@example.test', password: PASSWORD, role: 1 };
      const id = (await ask('/users', { body, token: full })).at('id');
      const change = (changed: object) =>
        ask(`/users/${id}?populate=role`, { method: 'PUT', body: changed, token: full });
      const signIn = async () =>
        (await ask('/auth/local', { body: { identifier: body.username, password: PASSWORD } })).status;
      expect(await signIn()).to.equal(200);
      expect((await change({ provider: 'github' })).at('provider')).to.equal('github');
      expect(await signIn()).to.equal(400);
      expect((await change({ confirmed: null })).at('confirmed')).to.equal(null);
      expect((await change({ role: { connect: [] } })).at('role.id')).to.equal(1);
      expect((await change({ role: { set: [] } })).at('role')).to.equal(null);
    });

    it('a role name with diacritics and digits produces a type of plain letters', async () => {
      await ask('/users-permissions/roles', { token: full, body: { name: 'Éditeur Blog2' } });
      const { roles } = (await ask('/users-permissions/roles', { token: full })).body as {
        roles: { type: string }[];
      };
      expect(roles.at(-1)?.type).to.equal('editeur_blog_2');
    });
  });

  describe('through the Document Service', () => {
    it('a password change ends older sessions, and no other change does', async () => {
      const users = server.project.documents('plugin::users-permissions.user');
      const { jwt, user } = (
        await ask('/auth/local/register', {
          body: { username: 'scripted', email: 'scripted@example.com', password: 'Secret-123' },
        })
      ).body as { jwt: string; user: { documentId: string } };
      const me = async () => (await ask('/users/me', { token: jwt })).status;
      await users.update({ documentId: user.documentId, data: { confirmed: true } });
      const before = await me();
      await users.update({ documentId: user.documentId, data: { password: 'Secret-456' } });
      expect(await me()).to.equal(401);
      expect(before).not.to.equal(401);
    });

    it('changes to accounts and roles preserve internal fields', async () => {
      const { documents, access, store } = server.project;
      const { documentId } = (await ask(`/users/${userId}`, { token: full })).body as { documentId: string };
      const users = store.db.collection('mangrove.users');
      await users.updateOne({ documentId }, { $set: { passwordVersion: 3 } });
      await documents('plugin::users-permissions.user').update({ documentId, data: { confirmed: true } });
      expect((await users.findOne({ documentId }))?.['passwordVersion']).to.equal(3);
      const role = (await access.roles.byType('public'))?.role;
      await documents('plugin::users-permissions.role').update({
        documentId: role?.documentId ?? '',
        data: { description: 'changed' },
      });
      await documents('plugin::users-permissions.role').create({ data: { name: 'Bare', type: 'bare' } });
      expect((await access.roles.byType('public'))?.role.grants).to.deep.equal(role?.grants);
      expect((await access.roles.byType('bare'))?.role.grants).to.deep.equal([]);
    });
  });
});
