import type { Rules, StringRule } from '../body.js';
import { MAX_NAME } from '../names.js';
import { MAX_PASSWORD_BYTES } from './password.js';

/**
 * Characters of a code, a token, or a password that is only compared: those of imported accounts may be
 * longer than a new one.
 */
const MAX_SECRET = 4096;

const secret = { required: true, max: MAX_SECRET } as const;
const name = { required: true, max: MAX_NAME, plain: true } as const;
const address = { required: true, max: MAX_NAME, email: true } as const;
const bytes = { max: MAX_PASSWORD_BYTES, message: 'Password must be less than 73 bytes' } as const;
const newPassword = { required: true, max: MAX_SECRET, bytes } as const;
const repeated = {
  required: true,
  max: MAX_SECRET,
  same: { field: 'password', message: 'Passwords do not match' },
} as const satisfies StringRule;

/** The rules for the body of each account route; the schema of accounts is checked after them. */
export const RULES = {
  signIn: { identifier: { required: true, max: MAX_NAME }, password: secret },
  register: { email: address, username: name, password: newPassword },
  forgotPassword: { email: address },
  resetPassword: { passwordConfirmation: repeated, password: newPassword, code: secret },
  changePassword: { passwordConfirmation: repeated, password: newPassword, currentPassword: secret },
  confirmEmail: { confirmation: secret },
  sendConfirmation: { email: address },
  refresh: { refreshToken: secret },
  createUser: { email: address, username: { ...name, min: 1 }, password: { ...newPassword, min: 1 } },
  updateUser: {
    email: { email: true, min: 1, max: MAX_NAME },
    username: { min: 1, max: MAX_NAME, plain: true },
    password: { otherwise: 'Password must be at least 1 character', max: MAX_SECRET, bytes },
  },
} as const satisfies Readonly<Record<string, Rules>>;
