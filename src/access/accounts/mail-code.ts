import { type StoredUser, updateUser } from '../../store/access/users.js';
import type { AccessDeps } from '../deps.js';
import type { Email } from '../mail.js';
import { hashCode, makeCode } from './one-time-code.js';

/** No account has this id. */
const NOBODY = -1;

interface CodeEmail {
  /** The fields that store the code's hash. */
  readonly stored: (hash: string) => Partial<StoredUser>;
  readonly email: (to: StoredUser, code: string) => Email;
}

/**
 * Mails a code that anyone may request for any address. For null it does the same work and mails nothing, so
 * that neither the answer nor its time reveals whether the address has an account.
 */
export const mailCode = async (
  deps: AccessDeps,
  user: StoredUser | null,
  { stored, email }: CodeEmail,
): Promise<void> => {
  const code = makeCode();
  deps.begin();
  await updateUser(deps.store, user?.id ?? NOBODY, stored(hashCode(code)));
  // Not awaited: the time a mail server takes would reveal which addresses are known.
  if (user) void deps.mailer.send(email(user, code)).catch(() => undefined);
};
