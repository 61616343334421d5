import { consumeCode, findUser, type StoredUser, updateUser } from '../../store/access/users.js';
import { checkBody } from '../body.js';
import type { AccessDeps } from '../deps.js';
import { changeAccount } from './accounts.js';
import { accountErrors } from './errors.js';
import { hashCode, makeCode } from './one-time-code.js';
import { RULES } from './rules.js';

/**
 * Mails a new confirmation link; only the hash of its code is stored. Throws a 400 if the email cannot be
 * sent.
 */
export const mailConfirmation = async (deps: AccessDeps, user: StoredUser): Promise<void> => {
  const code = makeCode();
  deps.begin();
  await updateUser(deps.store, user.id, { confirmationToken: hashCode(code) });
  const url = `${deps.settings.publicUrl}${deps.settings.prefix}/auth/email-confirmation?confirmation=${code}`;
  const text = `Hello ${user.username},\n\nplease confirm your address by opening this link:\n\n${url}\n`;
  const email = { to: user.email, subject: 'Please confirm your address', text };
  await deps.mailer.send(email).catch(() => {
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
  await changeAccount(deps, user, { confirmed: true });
  return deps.settings.advanced.email_confirmation_redirection ?? '/';
};

/** Sends the confirmation email again. The answer is the same if there is no such account. Throws a 400. */
export const sendConfirmation = async (deps: AccessDeps, body: unknown): Promise<string> => {
  const { email } = checkBody(body, RULES.sendConfirmation);
  const user = await findUser(deps.store, { email: email.toLowerCase() });
  if (!user) return email;
  if (user.confirmed) throw accountErrors.alreadyConfirmed();
  if (user.blocked) throw accountErrors.userBlocked();
  await mailConfirmation(deps, user);
  return user.email;
};
