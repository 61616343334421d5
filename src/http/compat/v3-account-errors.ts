import { FULL_ACCESS } from '../../documents/read/script-request.js';
import type { ErrorCode } from '../../error-codes.js';
import { ApiError } from '../../errors.js';
import { USER_UID } from '../../schema/uids.js';
import { objectAt, textOf } from '../../values/plain-object.js';
import type { RequestContext, Route } from '../context.js';
import type { AppDeps } from '../deps.js';
import { hasEntry } from './rows.js';
import { storedFor } from './stored.js';

/** What Strapi 3 says: a text alone, or with the id by which clients translate it. */
type Said = string | { readonly id: string; readonly message: string; readonly field?: readonly string[] };

const form = (name: string, message: string, field?: string): Said => ({
  id: `Auth.form.error.${name}`,
  message,
  ...(field !== undefined && { field: [field] }),
});

const NO_PASSWORD = form('password.provide', 'Please provide your password.');
const NO_PARAMETERS = form('params.provide', 'Incorrect params provided.');
const EMAIL_TAKEN = form('email.taken', 'Email is already taken.');
const USERNAME_TAKEN = form('username.taken', 'Username already taken');

const BY_CODE: Readonly<Partial<Record<ErrorCode, Said>>> = {
  'sign-in-failed': form('invalid', 'Identifier or password invalid.'),
  'email-not-confirmed': form('confirmed', 'Your account email is not confirmed'),
  'account-blocked': form('blocked', 'Your account has been blocked by an administrator'),
  'provider-disabled': { id: 'provider.disabled', message: 'This provider is disabled.' },
  'registration-disabled': {
    id: 'Auth.advanced.allow_register',
    message: 'Register action is currently disabled.',
  },
  'default-role-missing': form('role.notFound', 'Impossible to find the default role.'),
  'reset-code-incorrect': form('code.provide', 'Incorrect code provided.'),
  'confirmation-token-invalid': 'token.invalid',
  'username-taken': form('username.taken', 'Username already taken.', 'username'),
  'email-taken': form('email.taken', 'Email already taken.', 'email'),
  'too-many-requests': form('ratelimit', 'Too many attempts, please try again in a minute.'),
};

/** What is said of a field of the body that is empty or missing, and of one that is not valid. */
interface FieldRow {
  readonly field: string;
  readonly missing?: Said;
  readonly invalid?: Said;
}

/** The fields of each route, in the order in which Strapi 3 looks at them. */
const FIELDS: Readonly<Record<string, readonly FieldRow[]>> = {
  'post /auth/local': [
    {
      field: 'identifier',
      missing: form('email.provide', 'Please provide your username or your e-mail.'),
    },
    { field: 'password', missing: NO_PASSWORD },
  ],
  'post /auth/local/register': [
    { field: 'password', missing: NO_PASSWORD },
    {
      field: 'email',
      missing: form('email.provide', 'Please provide your email.'),
      invalid: form('email.format', 'Please provide valid email address.'),
    },
  ],
  'post /auth/forgot-password': [emailFormat('Please provide a valid email address.')],
  'post /auth/reset-password': [
    { field: 'password', missing: NO_PARAMETERS },
    {
      field: 'passwordConfirmation',
      missing: NO_PARAMETERS,
      invalid: form('password.matching', 'Passwords do not match.'),
    },
    { field: 'code', missing: NO_PARAMETERS },
  ],
  'get /auth/email-confirmation': [
    { field: 'confirmation', missing: 'token.invalid', invalid: 'token.invalid' },
  ],
  'post /auth/send-email-confirmation': [
    { field: 'email', missing: 'missing.email', invalid: 'wrong.email' },
  ],
  'post /users': ['email', 'username', 'password'].map((field) => ({ field, missing: `missing.${field}` })),
  'put /users/:id': ['email', 'username', 'password'].map((field) => ({
    field,
    missing: `${field}.notNull`,
  })),
};

function emailFormat(message: string): FieldRow {
  const said = form('email.format', message);
  return { field: 'email', missing: said, invalid: said };
}

/** The routes whose bodies may have no other keys; in Strapi 3 they may, and its clients send such as `url`. */
const EXACT: ReadonlySet<string> = new Set(['post /auth/forgot-password', 'post /auth/reset-password']);

const keyOf = ({ method, path }: Route): string => `${method} ${path}`;

/** A route of accounts that refuses what Strapi 3 refuses, in its words. */
export const refusingAsV3 = (route: Route): Route => ({
  ...route,
  controller: async (ctx, identity, deps) => {
    if (EXACT.has(keyOf(route))) {
      const body = objectAt(ctx.request.body);
      const names = (FIELDS[keyOf(route)] ?? []).map(({ field }) => field);
      ctx.request.body = Object.fromEntries(
        names.filter((name) => Object.hasOwn(body, name)).map((name) => [name, body[name]]),
      );
    }
    try {
      await route.controller(ctx, identity, deps);
    } catch (error) {
      if (!(error instanceof ApiError) || !(error.status === 400 || error.status === 429)) throw error;
      const said = await saidOf(error, route, ctx, deps);
      throw said === undefined ? error : worded(error, said);
    }
  },
});

async function saidOf(
  error: ApiError,
  route: Route,
  ctx: RequestContext,
  deps: AppDeps,
): Promise<Said | undefined> {
  if (error.code === 'account-taken') return (await isEmailTaken(ctx, deps)) ? EMAIL_TAKEN : USERNAME_TAKEN;
  const body = route.method === 'get' ? ctx.exchange.query.params : objectAt(ctx.request.body);
  const isAt = ({ field }: FieldRow): boolean => error.faults.some(({ path: [name] }) => name === field);
  const row = (FIELDS[keyOf(route)] ?? []).find(isAt);
  const ofField = row && (body[row.field] ? row.invalid : row.missing);
  const said = ofField ?? BY_CODE[error.code];
  // Strapi 3 has no such message, but its clients look for one in this form.
  const other = { id: error.code, message: error.faults[0]?.message ?? error.message };
  return said ?? (route.path.startsWith('/users') ? undefined : other);
}

/** Strapi 3 says which of the two is taken. */
async function isEmailTaken(ctx: RequestContext, deps: AppDeps): Promise<boolean> {
  const type = deps.schema.contentTypes.get(USER_UID);
  const email = textOf(objectAt(ctx.request.body)['email'])?.toLowerCase();
  if (!type || email === undefined) return false;
  const stored = storedFor(deps, FULL_ACCESS);
  return hasEntry(stored, type, { status: 'published', where: { email } });
}

const worded = ({ code, status, name, message, faults }: ApiError, said: Said): ApiError =>
  typeof said === 'string'
    ? new ApiError({ code, status, name, message: said })
    : new ApiError({ code, status, name, message, faults, details: { messages: [said] } });
