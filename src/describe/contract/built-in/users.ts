/** Accounts and roles. Answers have no envelope. */

import { existingType } from '../../../schema/find.js';
import { ROLE_UID } from '../../../schema/uids.js';
import { answered } from '../content.js';
import type { Describing } from '../describing.js';
import { entry, plainRow } from '../entries.js';
import { attributesInput } from '../inputs.js';
import {
  anyOf,
  arrayOf,
  booleanSchema,
  integerSchema,
  objectOf,
  objectSchema,
  stringSchema,
  withMembers,
} from '../json-schema.js';
import { listing, pages, single } from '../parameters.js';
import type { JsonSchema, ResponseDescription, Schemas } from '../types.js';
import { account, accountWithRole, bodyOf, NUMBER_IN_PATH, ok, userType } from './auth.js';
import { type BuiltInTable, opOf } from './types.js';

const op = opOf('users');

const user = (describing: Describing): ResponseDescription =>
  answered('The account', entry(userType(describing), describing));

const NOBODY: ResponseDescription = { description: 'There is no such account' };

/** An account as written. */
const written = (describing: Describing): ResponseDescription =>
  answered('The account', accountWithRole(describing));

const ROLE_REFERENCE: JsonSchema = anyOf(integerSchema, stringSchema, objectSchema);
const PASSWORD: JsonSchema = {
  ...stringSchema,
  format: 'password',
  writeOnly: true,
  description: 'At most 72 bytes',
};

/** The body of an account: its own fields, and attributes added by the project. */
const accountInput = (describing: Describing): Schemas => ({
  ...attributesInput(userType(describing), describing),
  username: { ...stringSchema, maxLength: 255 },
  email: { ...stringSchema, format: 'email', maxLength: 255 },
  password: PASSWORD,
  provider: stringSchema,
  confirmed: booleanSchema,
  blocked: booleanSchema,
  role: ROLE_REFERENCE,
});

const WRITING = ['query', 'write'] as const;
const WRITE_CODES = [
  'account-not-valid',
  'account-taken',
  'email-taken',
  'key-invalid',
  'password-null',
  'username-taken',
] as const;

const USERS: BuiltInTable = {
  'GET /users': (describing) =>
    op('listUsers', 'List accounts', {
      parameters: pages(userType(describing), describing),
      answers: {
        200: answered('Accounts', arrayOf(entry(userType(describing), describing))),
      },
      groups: ['query'],
    }),
  'GET /users/count': (describing) =>
    op('countUsers', 'Count accounts', {
      parameters: listing(userType(describing), describing),
      answers: { 200: answered('The number of accounts', integerSchema) },
      groups: ['query'],
    }),
  'GET /users/me': (describing) =>
    op('getMe', 'Your own account', {
      parameters: single(userType(describing), describing),
      answers: { 200: user(describing), 204: NOBODY },
      groups: ['query'],
      codes: [describing.config.rest.compat === 'v3' ? 'authorization-header-missing' : 'sign-in-required'],
      signedIn: true,
    }),
  'GET /users/:id': (describing) =>
    op('getUser', 'Read an account', {
      parameters: [NUMBER_IN_PATH, ...single(userType(describing), describing)],
      answers: { 200: user(describing), 204: NOBODY },
      groups: ['query'],
    }),
  'POST /users': (describing) =>
    op('createUser', 'Create an account', {
      body: bodyOf(accountInput(describing), ['username', 'email', 'password', 'role']),
      answers: { 201: written(describing) },
      groups: WRITING,
      codes: WRITE_CODES,
    }),
  'PUT /users/:id': (describing) =>
    op('updateUser', 'Change an account', {
      parameters: [NUMBER_IN_PATH],
      body: bodyOf(accountInput(describing), []),
      answers: { 200: written(describing) },
      groups: WRITING,
      codes: [...WRITE_CODES, 'user-not-found'],
    }),
  'DELETE /users/:id': (describing) =>
    op('deleteUser', 'Delete an account', {
      parameters: [NUMBER_IN_PATH],
      answers: { 200: answered('The deleted account', account(describing)), 204: NOBODY },
    }),
};

const PERMISSION = objectOf({ enabled: booleanSchema, policy: stringSchema });
const mapOf = (schema: JsonSchema): JsonSchema => ({ type: 'object', additionalProperties: schema });

/** Actions by plugin or API, controller and name. */
const permissions = ({ named }: Describing): JsonSchema =>
  named('Permissions', () => mapOf(objectOf({ controllers: mapOf(mapOf(PERMISSION)) })));

const roleWith = (describing: Describing, more: Schemas): JsonSchema =>
  withMembers(plainRow(existingType(describing.schema, ROLE_UID), describing), more);

const GRANTED = { type: 'object', description: 'Like `Permissions`; only enabled actions are granted' };

const roleOp = opOf('roles');

const ROLES: BuiltInTable = {
  'GET /users-permissions/roles': (describing) =>
    roleOp('listRoles', 'List roles', {
      answers: {
        200: answered(
          'Roles with the number of their accounts',
          objectOf({ roles: arrayOf(roleWith(describing, { nb_users: integerSchema })) }),
        ),
      },
    }),
  'GET /users-permissions/roles/:id': (describing) =>
    roleOp('getRole', 'Read a role', {
      parameters: [NUMBER_IN_PATH],
      answers: {
        200: answered(
          'The role with its permissions',
          objectOf({ role: roleWith(describing, { permissions: permissions(describing) }) }),
        ),
      },
      codes: ['role-not-found'],
    }),
  'POST /users-permissions/roles': (describing) =>
    roleOp('createRole', 'Create a role', {
      body: bodyOf(
        { name: stringSchema, description: stringSchema, type: stringSchema, permissions: GRANTED },
        ['name'],
      ),
      answers: { 200: ok(describing) },
      codes: ['fields-not-valid', 'role-body-empty', 'role-configured', 'role-exists'],
    }),
  'PUT /users-permissions/roles/:id': (describing) =>
    roleOp('updateRole', 'Change a role', {
      parameters: [NUMBER_IN_PATH],
      body: bodyOf({ name: stringSchema, description: stringSchema, permissions: GRANTED }, []),
      answers: { 200: ok(describing) },
      codes: ['fields-not-valid', 'role-body-empty', 'role-configured', 'role-exists', 'role-not-found'],
    }),
  'DELETE /users-permissions/roles/:id': (describing) =>
    roleOp('deleteRole', 'Delete a role', {
      parameters: [NUMBER_IN_PATH],
      answers: { 200: ok(describing) },
      codes: ['public-role-permanent', 'role-configured', 'role-not-found', 'role-permanent'],
    }),
  'GET /users-permissions/permissions': (describing) =>
    roleOp('listPermissions', 'All actions that can be granted', {
      answers: {
        200: answered('All actions, none enabled', objectOf({ permissions: permissions(describing) })),
      },
    }),
};

export const ACCOUNT_ROUTES: BuiltInTable = { ...USERS, ...ROLES };
