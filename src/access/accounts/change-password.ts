import { consumeCode, findUser, type StoredUser } from '../../store/access/users.js';
import { checkBody, type Rules, throwFaults, unknownKeys } from '../body.js';
import type { AccessDeps } from '../deps.js';
import type { Email } from '../mail.js';
import { accountById, contentFaults } from './accounts.js';
import { changeAsCall } from './change-as-call.js';
import { accountErrors } from './errors.js';
import { mailCode } from './mail-code.js';
import { hashCode } from './one-time-code.js';
import { hashPassword, verifyPassword } from './password.js';
import { RULES } from './rules.js';

const CODE_LIFE_MS = 3_600_000;

/** Checks a body that may have no other keys. Throws a 400. */
const checkExactly = <const R extends Rules>(body: unknown, rules: R) =>
  checkBody(body, rules, unknownKeys(body, rules));

/** Changes the password of a signed-in user, who must give the current one. Throws a 400. */
export const changePassword = async (
  deps: AccessDeps,
  userId: number,
  body: unknown,
): Promise<StoredUser> => {
  const { currentPassword, password } = checkExactly(body, RULES.changePassword);
  const user = await accountById(deps, userId);
  if (!user?.password || !(await verifyPassword(currentPassword, user.password, deps.entrant())))
    throw accountErrors.wrongCurrentPassword();
  if (currentPassword === password) throw accountErrors.samePassword();
  throwFaults(contentFaults(deps, { password }));
  const hash = await hashPassword(password, deps.entrant());
  const changed = await changeAsCall(deps, user, { password: hash }, user.password);
  // Another request has changed it since it was compared.
  if (!changed) throw accountErrors.wrongCurrentPassword();
  return changed;
};

const resetEmail = ({ settings }: AccessDeps, user: StoredUser, code: string): Email => {
  const page = settings.advanced.email_reset_password ?? `${settings.publicUrl}/reset-password`;
  const text = `Hello ${user.username},\n\na new password can be set with this link within an hour:\n\n${page}?code=${code}\n`;
  return { to: user.email, subject: 'Reset your password', text };
};

/** Mails a code for setting a new password. Does not reveal whether the address is known. */
export const forgotPassword = async (deps: AccessDeps, body: unknown): Promise<void> => {
  const { email } = checkExactly(body, RULES.forgotPassword);
  const user = await findUser(deps.store, { email: email.toLowerCase() });
  await mailCode(deps, user?.blocked === true ? null : user, {
    stored: (resetPasswordToken) => ({
      resetPasswordToken,
      resetPasswordExpiresAt: new Date(Date.now() + CODE_LIFE_MS),
    }),
    email: (to, code) => resetEmail(deps, to, code),
  });
};

/** Sets a new password with a mailed code, which works once, within an hour. Throws a 400. */
export const resetPassword = async (deps: AccessDeps, body: unknown): Promise<StoredUser> => {
  const { password, code } = checkExactly(body, RULES.resetPassword);
  const resetPasswordToken = hashCode(code);
  const faults = contentFaults(deps, { password });
  // Neither an invalid password nor a refused hash uses up the code, and only who has a code may order a hash.
  if (!(await findUser(deps.store, { resetPasswordToken }))) throw accountErrors.incorrectCode();
  throwFaults(faults);
  const hash = await hashPassword(password, deps.entrant());
  deps.begin();
  const user = await consumeCode(deps.store, 'resetPasswordToken', resetPasswordToken, new Date());
  if (!user) throw accountErrors.incorrectCode();
  if (user.blocked === true) throw accountErrors.blocked();
  return (await changeAsCall(deps, user, { password: hash })) ?? user;
};
