import { errors } from '../errors.js';
import { isObject } from '../values/plain-object.js';
import type { Live } from './live.js';
import { partsOf } from './request-parts.js';
import type { CodeContext, Values } from './types.js';

/** What only the server knows of an account. */
const INTERNAL = new Set([
  '_rev',
  'password',
  'passwordVersion',
  'tokensEndedAt',
  'nameKey',
  'resetPasswordToken',
  'resetPasswordExpiresAt',
  'confirmationToken',
  'role',
]);

/** An account with its role, as a project's code sees it: without the hash of its password and its codes. */
export async function accountOf({ access }: Pick<Live, 'access'>, id: number): Promise<Values | null> {
  const user = await access.users.byId(id);
  if (!user) return null;
  const entry = user.role === null ? null : await access.roles.byDocument(user.role);
  const role = entry && {
    id: entry.role.id,
    documentId: entry.role.documentId,
    name: entry.role.name,
    description: entry.role.description,
    type: entry.role.type,
  };
  return { ...Object.fromEntries(Object.entries(user).filter(([name]) => !INTERNAL.has(name))), role };
}

/** `ctx.state.user` and `ctx.state.auth` of a request. @param loads what an extension loads accounts with */
export async function signedIn(
  live: Pick<Live, 'access'>,
  ctx: CodeContext,
  loads: ((id: number) => unknown) | null,
): Promise<Values> {
  const { identity } = partsOf(ctx);
  if (identity.kind === 'user') {
    const user = loads ? await loads(identity.userId) : await accountOf(live, identity.userId);
    if (!isObject(user)) throw errors.credentialUnknown();
    return {
      user,
      isAuthenticated: true,
      auth: { strategy: { name: 'users-permissions' }, credentials: user },
    };
  }
  if (identity.kind === 'token') {
    const { id, name, type } = identity.token;
    return {
      isAuthenticated: true,
      auth: { strategy: { name: 'api-token' }, credentials: { id, name, type } },
    };
  }
  return { isAuthenticated: false, auth: { strategy: { name: 'users-permissions' }, credentials: null } };
}
