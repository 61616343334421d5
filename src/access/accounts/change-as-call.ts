import type { StoredUser } from '../../store/access/users.js';
import type { AccessDeps } from '../deps.js';
import { type AccountChange, changeAccount } from './accounts.js';
import { asCall } from './as-call.js';
import { extraFields, writeExtraFields } from './extra-fields.js';

/**
 * `changeAccount` as the call that it is in Strapi. Of what the project's lifecycles make of the change, the
 * attributes that the project has added to accounts are stored.
 */
export const changeAsCall = (
  deps: AccessDeps,
  user: StoredUser,
  change: Pick<AccountChange, 'password' | 'confirmed'>,
  from?: string,
): Promise<StoredUser | null> =>
  asCall(deps, { action: 'update', documentId: user.documentId, data: change }, async (inner, data) => {
    const changed = await changeAccount(inner, user, change, from);
    if (changed) await writeExtraFields(inner, user, extraFields(inner, data));
    return changed;
  });
