/** Registration, sign-in and sessions. */

import { existingType } from '../../../schema/find.js';
import type { ContentType } from '../../../schema/types.js';
import { ROLE_UID, USER_UID } from '../../../schema/uids.js';
import { answered, jsonContent } from '../content.js';
import type { Describing } from '../describing.js';
import { plainRow } from '../entries.js';
import {
  arrayOf,
  booleanSchema,
  instantSchema,
  integerSchema,
  objectOf,
  openObjectOf,
  schemaOrNull,
  stringSchema,
  trueSchema,
  withMembers,
} from '../json-schema.js';
import { inPath } from '../parameters.js';
import type { Credential, JsonSchema, RequestBody, ResponseDescription, Schemas } from '../types.js';
import { type BuiltInTable, opOf } from './types.js';

export const userType = (describing: Describing): ContentType => existingType(describing.schema, USER_UID);

/** An account with its fields, without relations. */
export const account = (describing: Describing): JsonSchema =>
  describing.named('Account', () => plainRow(userType(describing), describing));

const roleFields = (describing: Describing): JsonSchema =>
  describing.named('RoleFields', () => plainRow(existingType(describing.schema, ROLE_UID), describing));

/** The same with its role, if the caller may see roles. */
export const accountWithRole = (describing: Describing): JsonSchema =>
  describing.named('AccountWithRole', () => {
    const account = plainRow(userType(describing), describing);
    return withMembers(account, { role: schemaOrNull(roleFields(describing)) }, 'its own');
  });

export const bodyOf = (
  properties: Schemas,
  required: readonly string[] = Object.keys(properties),
): RequestBody => ({
  required: required.length > 0,
  content: jsonContent(openObjectOf(properties, required)),
});

export const ok = (describing: Describing): ResponseDescription =>
  answered(
    'Done',
    describing.named('Done', () => objectOf({ ok: trueSchema })),
  );

/** With `jwtManagement: 'refresh'` there is also a refresh token, in a cookie if requested. */
const tokens: Schemas = { jwt: stringSchema, refreshToken: stringSchema };

const welcome = (describing: Describing): ResponseDescription =>
  answered(
    'Signed in',
    describing.named('SignedIn', () => objectOf({ ...tokens, user: account(describing) }, ['jwt', 'user'])),
  );

const newPassword: JsonSchema = {
  ...stringSchema,
  format: 'password',
  minLength: 6,
  description: 'At most 72 bytes',
};
const name: JsonSchema = { ...stringSchema, maxLength: 255 };
const address: JsonSchema = { ...stringSchema, format: 'email', maxLength: 255 };

const op = opOf('auth');

const COOKIE: readonly Credential[] = ['refreshCookie'];

/** Attributes that the project's settings allow in a registration. */
const registrationFields = ({ config }: Describing): Schemas => {
  const allowed = config.plugins.usersPermissions.register.allowedFields;
  return Object.fromEntries(allowed.filter((field) => field !== '').map((field) => [field, {}]));
};

const SESSION = objectOf({
  sessionId: stringSchema,
  device: schemaOrNull(stringSchema),
  createdAt: instantSchema,
  lastUsedAt: instantSchema,
  expiresAt: instantSchema,
  current: booleanSchema,
});

export const AUTH: BuiltInTable = {
  'POST /auth/local': (describing) =>
    op('signIn', 'Sign in by name or address', {
      signedOut: true,
      body: bodyOf({ identifier: stringSchema, password: { ...stringSchema, format: 'password' } }),
      answers: { 200: welcome(describing) },
      codes: ['fields-not-valid', 'sign-in-failed', 'email-not-confirmed', 'account-blocked'],
    }),
  'POST /auth/local/register': (describing) =>
    op('register', 'Register', {
      signedOut: true,
      body: bodyOf(
        {
          ...registrationFields(describing),
          username: { ...name, minLength: 3 },
          email: address,
          password: newPassword,
        },
        ['username', 'email', 'password'],
      ),
      answers: {
        200: answered(
          'Registered, and signed in unless the address must be confirmed first',
          objectOf({ ...tokens, user: accountWithRole(describing) }, ['user']),
        ),
      },
      groups: ['write'],
      codes: [
        'account-taken',
        'confirmation-email-failed',
        'default-role-missing',
        'key-invalid',
        'registration-disabled',
        'unknown-registration-fields',
      ],
    }),
  'POST /auth/forgot-password': (describing) =>
    op('forgotPassword', 'Request an email with a reset code', {
      signedOut: true,
      body: bodyOf({ email: address }),
      answers: { 200: ok(describing) },
      codes: ['fields-not-valid'],
    }),
  'POST /auth/reset-password': (describing) =>
    op('resetPassword', 'Set a password with a code', {
      signedOut: true,
      body: bodyOf({ code: stringSchema, password: newPassword, passwordConfirmation: newPassword }),
      answers: { 200: welcome(describing) },
      codes: ['account-blocked', 'fields-not-valid', 'reset-code-incorrect'],
    }),
  'POST /auth/change-password': (describing) =>
    op('changePassword', 'Change your own password', {
      body: bodyOf({
        currentPassword: { ...stringSchema, format: 'password' },
        password: newPassword,
        passwordConfirmation: newPassword,
      }),
      answers: { 200: welcome(describing) },
      codes: [
        'account-blocked',
        'change-password-unauthenticated',
        'current-password-incorrect',
        'fields-not-valid',
        'password-unchanged',
      ],
    }),
  'GET /auth/email-confirmation': () =>
    op('confirmEmail', 'Confirm an address with the link in the email', {
      signedOut: true,
      parameters: [{ name: 'confirmation', in: 'query', required: true, schema: stringSchema }],
      answers: { 302: { description: 'Confirmed; redirects to `email_confirmation_redirection`' } },
      codes: ['confirmation-token-invalid', 'fields-not-valid'],
    }),
  'POST /auth/send-email-confirmation': () =>
    op('sendEmailConfirmation', 'Request the confirmation email again', {
      signedOut: true,
      body: bodyOf({ email: address }),
      answers: {
        200: answered('Sent', objectOf({ email: stringSchema, sent: trueSchema })),
      },
      codes: ['fields-not-valid'],
    }),
  'GET /connect/:provider': () =>
    op('connect', 'Sign in through another site', {
      signedOut: true,
      parameters: [inPath('provider', stringSchema, 'The name of the site')],
      answers: {},
      codes: ['provider-disabled'],
    }),
  'GET /auth/:provider/callback': () =>
    op('connectCallback', 'Return from another site', {
      signedOut: true,
      parameters: [inPath('provider', stringSchema, 'The name of the site')],
      answers: {},
      codes: ['provider-disabled'],
    }),
  'POST /auth/refresh': () =>
    op('refreshToken', 'Renew a token', {
      signedOut: true,
      body: bodyOf({ refreshToken: stringSchema }, []),
      answers: { 200: answered('The new tokens', objectOf(tokens, ['jwt'])) },
      codes: ['fields-not-valid', 'not-found', 'refresh-token-invalid'],
      credentials: COOKIE,
    }),
  'POST /auth/logout': (describing) =>
    op('logout', 'Sign out', {
      answers: { 200: ok(describing) },
      codes: ['not-found', 'sign-in-required'],
      signedIn: true,
    }),
  'GET /auth/sessions': ({ named }) =>
    op('listSessions', 'Your own sessions', {
      answers: {
        200: answered('One session per device', arrayOf(named('Session', () => SESSION))),
      },
      codes: ['not-found', 'sign-in-required'],
      signedIn: true,
    }),
  'DELETE /auth/sessions/:id': (describing) =>
    op('endSession', 'End a session', {
      parameters: [inPath('id', stringSchema, 'Its `sessionId`')],
      answers: { 200: ok(describing) },
      codes: ['not-found', 'sign-in-required'],
      signedIn: true,
    }),
};

export const NUMBER_IN_PATH = inPath('id', integerSchema, 'The numeric id');
