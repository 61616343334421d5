import { consumeCode, findUser, type StoredUser, updateUser } from '../../store/access/users.js';
import { checkBody } from '../body.js';
import type { AccessDeps } from '../deps.js';
import type { Email } from '../mail.js';
import { changeAsCall } from './change-as-call.js';
import { accountErrors } from './errors.js';
import { mailCode } from './mail-code.js';
import { hashCode, makeCode } from './one-time-code.js';
import { RULES } from './rules.js';

const confirmationEmail = ({ settings }: AccessDeps, user: StoredUser, code: string): Email => {
  const url = `${settings.publicUrl}${settings.prefix}/auth/email-confirmation?confirmation=${code}`;
  const text = `Hello ${user.username},\n\nplease confirm your address by opening this link:\n\n${url}\n`;
  return { to: user.email, subject: 'Please confirm your address', text };
};

/**
 * Mails the first confirmation link; only the hash of its code is stored. Throws a 400 if the email cannot be
 * sent.
 */
export const mailConfirmation = async (deps: AccessDeps, user: StoredUser): Promise<void> => {
  const code = makeCode();
  deps.begin();
  await updateUser(deps.store, user.id, { confirmationToken: hashCode(code) });
  await deps.mailer.send(confirmationEmail(deps, user, code)).catch(() => {
    throw accountErrors.mailFailed();
  });
};

/**
 * Confirms the address that a code was mailed to. The code works once. Returns the address to redirect to.
 * Throws a 400.
 */
export const confirmEmail = async (deps: AccessDeps, query: unknown): Promise<string> => {
  const { confirmation } = checkBody(query, RULES.confirmEmail);
  deps.begin();
  const user = await consumeCode(deps.store, 'confirmationToken', hashCode(confirmation), new Date());
  if (!user) throw accountErrors.invalidToken();
  await changeAsCall(deps, user, { confirmed: true });
  return deps.settings.advanced.email_confirmation_redirection ?? '/';
};

/**
 * Mails a new confirmation link. Does not reveal whether the address is known, confirmed or blocked. Returns
 * the address as given; throws a 400 if it is not one.
 */
export const sendConfirmation = async (deps: AccessDeps, body: unknown): Promise<string> => {
  const { email } = checkBody(body, RULES.sendConfirmation);
  const user = await findUser(deps.store, { email: email.toLowerCase() });
  const waits = user !== null && user.confirmed !== true && user.blocked !== true;
  await mailCode(deps, waits ? user : null, {
    stored: (confirmationToken) => ({ confirmationToken }),
    email: (to, code) => confirmationEmail(deps, to, code),
  });
  return email;
};
