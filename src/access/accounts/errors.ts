import { errors } from '../../errors.js';
import { shorten } from '../../print-value.js';

/** The errors of the account routes, in Strapi's words. */
export const accountErrors = {
  badCredentials: () => errors.validation('sign-in-failed', 'Invalid identifier or password'),
  notConfirmed: () => errors.application('email-not-confirmed', 'Your account email is not confirmed'),
  blocked: () => errors.application('account-blocked', 'Your account has been blocked by an administrator'),
  providerDisabled: () => errors.application('provider-disabled', 'This provider is disabled'),
  taken: () => errors.application('account-taken', 'Email or Username are already taken'),
  registerDisabled: () =>
    errors.application('registration-disabled', 'Register action is currently disabled'),
  noDefaultRole: () => errors.application('default-role-missing', 'Impossible to find the default role'),
  invalidParameters: (names: readonly string[]) =>
    errors.validation('unknown-registration-fields', `Invalid parameters: ${shorten(names.join(', '))}`),
  mailFailed: () => errors.application('confirmation-email-failed', 'Error sending confirmation email'),
  incorrectCode: () => errors.validation('reset-code-incorrect', 'Incorrect code provided'),
  wrongCurrentPassword: () =>
    errors.validation('current-password-incorrect', 'The provided current password is invalid'),
  samePassword: () =>
    errors.validation('password-unchanged', 'Your new password must be different than your current password'),
  invalidToken: () => errors.validation('confirmation-token-invalid', 'Invalid token'),
  notSignedIn: () =>
    errors.application('change-password-unauthenticated', 'You must be authenticated to reset your password'),
  emailTaken: () => errors.application('email-taken', 'Email already taken'),
  emptyPassword: () => errors.validation('password-null', 'password.notNull'),
  noSuchUser: () => errors.missing('user-not-found', 'User not found'),
  usernameTaken: () => errors.application('username-taken', 'Username already taken'),
} as const;
