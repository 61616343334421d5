import type { StoredUser } from '../../store/access/users.js';
import { type AuthBody, checkBody, objectBody, throwFaults } from '../body.js';
import type { AccessDeps } from '../deps.js';
import { accountsNamed, defaultRole } from './accounts.js';
import { mailConfirmation } from './confirm-email.js';
import { createChecked } from './create-checked.js';
import { accountErrors } from './errors.js';
import { extraFields } from './extra-fields.js';
import { RULES } from './rules.js';

/**
 * What anyone may send; `register.allowedFields` adds to it. Roles and flags of the account are never
 * included (CVE-2023-39345).
 */
const ALWAYS_ALLOWED = ['username', 'password', 'email'];

const checkKeys = (deps: AccessDeps, body: AuthBody): void => {
  const allowed = new Set([...ALWAYS_ALLOWED, ...deps.settings.registerAllowedFields]);
  const others = Object.keys(body).filter((key) => !allowed.has(key));
  if (others.length > 0) throw accountErrors.invalidParameters(others);
};

/**
 * Registers an account with the default role. If addresses must be confirmed, mails the link. Throws a 400.
 */
export const register = async (deps: AccessDeps, given: unknown): Promise<StoredUser> => {
  const { advanced } = deps.settings;
  if (!advanced.allow_register) throw accountErrors.registerDisabled();
  const body = objectBody(given);
  checkKeys(deps, body);
  const { username, email, password } = checkBody(body, RULES.register);
  const role = await defaultRole(deps);
  const confirmed = !advanced.email_confirmation;
  const extra = extraFields(deps, body);
  const account = { username, email, password, role: role.role.documentId, confirmed, extra };
  const user = await createChecked(deps, async () => {
    if ((await accountsNamed(deps, { email, username })).length > 0) throw accountErrors.taken();
    throwFaults(deps.checkBody({ username, email, password, provider: 'local', ...extra }, false).faults);
    return account;
  });
  if (!confirmed) await mailConfirmation(deps, user);
  return user;
};
