import { consumeCode, findUser, type StoredUser, updateUser } from '../../store/access/users.js';
import { checkBody, throwFaults } from '../body.js';
import type { AccessDeps } from '../deps.js';
import { accountById, changeAccount, contentFaults } from './accounts.js';
import { accountErrors } from './errors.js';
import { hashCode, makeCode } from './one-time-code.js';
import { verifyPassword } from './password.js';
import { RULES } from './rules.js';

const CODE_LIFE_MS = 3_600_000;
/** No account has this id. */
const NOBODY = -1;

/** Changes the password of a signed-in user, who must give the current one (rules H.3). Throws a 400. */
export const changePassword = async (
  deps: AccessDeps,
  userId: number,
  body: unknown,
): Promise<StoredUser> => {
  const { currentPassword, password } = checkBody(body, RULES.changePassword);
  const user = await accountById(deps, userId);
  if (!user?.password || !(await verifyPassword(currentPassword, user.password)))
    throw accountErrors.wrongCurrentPassword();
  if (currentPassword === password) throw accountErrors.samePassword();
  throwFaults(contentFaults(deps, { password }));
  return (await changeAccount(deps, user, { password })) ?? user;
};

/** Mails a code for setting a new password. Does not reveal whether the address is known. */
export const forgotPassword = async (deps: AccessDeps, body: unknown): Promise<void> => {
  const { email } = checkBody(body, RULES.forgotPassword);
  const user = await findUser(deps.store, { email: email.toLowerCase() });
  const known = user !== null && user.blocked !== true;
  const code = makeCode();
  deps.begin();
  // Does the same work for an unknown address.
  await updateUser(deps.store, known ? user.id : NOBODY, {
    resetPasswordToken: hashCode(code),
    resetPasswordExpiresAt: new Date(Date.now() + CODE_LIFE_MS),
  });
  if (!known) return;
  const page = deps.settings.advanced.email_reset_password ?? `${deps.settings.publicUrl}/reset-password`;
  const text = `Hello ${user.username},\n\na new password can be set with this link within an hour:\n\n${page}?code=${code}\n`;
  // Not awaited: the time a mail server takes would reveal which addresses are known.
  void deps.mailer.send({ to: user.email, subject: 'Reset your password', text }).catch(() => undefined);
};

/** Sets a new password with a mailed code, which works once, within an hour. Throws a 400. */
export const resetPassword = async (deps: AccessDeps, body: unknown): Promise<StoredUser> => {
  const { password, code } = checkBody(body, RULES.resetPassword);
  const resetPasswordToken = hashCode(code);
  const faults = contentFaults(deps, { password });
  // An invalid password does not use up the code.
  if (faults.length > 0 && (await findUser(deps.store, { resetPasswordToken }))) throwFaults(faults);
  deps.begin();
  const user =
    faults.length > 0
      ? null
      : await consumeCode(deps.store, 'resetPasswordToken', resetPasswordToken, new Date());
  if (!user) throw accountErrors.incorrectCode();
  if (user.blocked === true) throw accountErrors.blocked();
  return (await changeAccount(deps, user, { password })) ?? user;
};
