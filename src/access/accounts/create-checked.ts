import { errors } from '../../errors.js';
import { USER_UID } from '../../schema/uids.js';
import type { StoredUser } from '../../store/access/users.js';
import { type AuthBody, flagIn } from '../body.js';
import type { AccessDeps } from '../deps.js';
import { type accountsNamed, createUntaken, type NewAccount } from './accounts.js';
import { asCall } from './as-call.js';
import { assignedRole } from './assigned-role.js';
import { extraFields } from './extra-fields.js';

type Names = Parameters<typeof accountsNamed>[1];

/**
 * Creates the account that `check` returns, which throws a 400 for one that cannot be: one after the other, so that
 * no two take the same name. Lifecycles of the project run before and after, while others may go on.
 */
export async function createChecked(
  deps: AccessDeps,
  check: () => Promise<NewAccount>,
  namesOf: (made: NewAccount) => Names = (made) => made,
): Promise<StoredUser> {
  const create = (inner: AccessDeps, complete: (made: NewAccount) => Promise<NewAccount>) =>
    inner.exclusively(async () => {
      const made = await complete(await check());
      return createUntaken(inner, made, namesOf(made));
    });
  if (!deps.documents.isAround(USER_UID, 'create')) return create(deps, async (made) => made);
  const data = dataOf(await check());
  const user = await asCall(deps, { action: 'create', data }, (inner, changed) =>
    create(inner, (made) => withData(inner, made, changed)),
  );
  if (!user) throw errors.strapiUnsupported('A document middleware that does not create the account');
  return user;
}

/** An account as the data of the call that creates it. */
const dataOf = ({
  extra,
  provider = 'local',
  blocked = false,
  confirmationToken: _,
  ...own
}: NewAccount) => ({
  ...own,
  email: own.email.toLowerCase(),
  provider,
  blocked,
  ...extra,
});

/** The account with what its data have become. */
async function withData(deps: AccessDeps, made: NewAccount, data: AuthBody): Promise<NewAccount> {
  const text = (name: 'username' | 'email' | 'password'): string => {
    const value = data[name];
    return typeof value === 'string' ? value : made[name];
  };
  const { role, provider } = data;
  const assigned = role === made.role ? undefined : (await assignedRole(deps, role)).role;
  return {
    ...made,
    username: text('username'),
    email: text('email'),
    password: text('password'),
    role: assigned === undefined ? made.role : (assigned?.documentId ?? null),
    confirmed: flagIn(data, 'confirmed') ?? made.confirmed,
    blocked: flagIn(data, 'blocked') ?? made.blocked ?? false,
    ...(typeof provider === 'string' && { provider }),
    extra: extraFields(deps, data),
  };
}
