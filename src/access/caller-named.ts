import type { Caller } from '../query/read-plan.js';
import { listTokens } from '../store/access/tokens.js';
import { findUser } from '../store/access/users.js';
import type { AccessDeps } from './deps.js';
import { grantsFor } from './identity/authenticate.js';
import { grantsOfToken } from './identity/grants.js';

/**
 * Who would make a request: `public`, an account by its username or email address, or an API token by its name; null
 * if there is none. Whether it may sign in is not considered.
 */
export async function callerNamed(deps: AccessDeps, name: string): Promise<Caller | null> {
  const { store, authCache } = deps;
  if (name === 'public')
    return { anonymous: true, grants: grantsFor(await authCache.roleByType('public'), null) };
  const user =
    (await findUser(store, { username: name })) ?? (await findUser(store, { email: name.toLowerCase() }));
  if (user) {
    const entry = user.role === null ? null : await authCache.roleByDocument(user.role);
    return { grants: grantsFor(entry, user) };
  }
  const token = (await listTokens(store)).find((one) => one.name === name);
  return token ? { grants: grantsOfToken(token) } : null;
}
