import { errors } from '../errors.js';
import { shorten } from '../print-value.js';

/** The refusals of the account routes in Strapi's words (rules H.3). */
export const accountErrors = {
  badCredentials: () => errors.validation('Invalid identifier or password'),
  notConfirmed: () => errors.application('Your account email is not confirmed'),
  blocked: () => errors.application('Your account has been blocked by an administrator'),
  providerDisabled: () => errors.application('This provider is disabled'),
  taken: () => errors.application('Email or Username are already taken'),
  registerDisabled: () => errors.application('Register action is currently disabled'),
  noDefaultRole: () => errors.application('Impossible to find the default role'),
  invalidParameters: (names: readonly string[]) =>
    errors.validation(`Invalid parameters: ${shorten(names.join(', '))}`),
  mailFailed: () => errors.application('Error sending confirmation email'),
  incorrectCode: () => errors.validation('Incorrect code provided'),
  wrongCurrentPassword: () => errors.validation('The provided current password is invalid'),
  samePassword: () => errors.validation('Your new password must be different than your current password'),
  invalidToken: () => errors.validation('Invalid token'),
  alreadyConfirmed: () => errors.application('Already confirmed'),
  userBlocked: () => errors.application('User blocked'),
  notSignedIn: () => errors.application('You must be authenticated to reset your password'),
  emailTaken: () => errors.application('Email already taken'),
  emptyPassword: () => errors.validation('password.notNull'),
  noSuchUser: () => errors.missing('User not found'),
  usernameTaken: () => errors.application('Username already taken'),
} as const;
