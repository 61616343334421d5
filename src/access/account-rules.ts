import type { Rules, StringRule } from './body.js';
import { MAX_PASSWORD_BYTES } from './password.js';

/** Characters of a name or an address. */
const MAX_NAME = 255;

const text = { required: true } as const;
const name = { required: true, max: MAX_NAME, plain: true } as const;
const address = { required: true, max: MAX_NAME, email: true } as const;
const newPassword = {
  required: true,
  min: 6,
  bytes: { max: MAX_PASSWORD_BYTES, message: 'Password must be less than 73 bytes' },
} as const;
const repeated = {
  required: true,
  same: { field: 'password', message: 'Passwords do not match' },
} as const satisfies StringRule;

/** What each account route asks of its body (rules H.3). */
export const RULES = {
  signIn: { identifier: text, password: text },
  register: { email: address, username: { ...name, min: 3 }, password: newPassword },
  forgotPassword: { email: address },
  resetPassword: { passwordConfirmation: repeated, password: newPassword, code: text },
  changePassword: { passwordConfirmation: repeated, password: newPassword, currentPassword: text },
  confirmEmail: { confirmation: text },
  sendConfirmation: { email: address },
  refresh: { refreshToken: text },
  createUser: { email: address, username: name, password: { ...text, bytes: newPassword.bytes } },
  updateUser: {
    email: { email: true, min: 1, max: MAX_NAME },
    username: { min: 1, max: MAX_NAME, plain: true },
    password: { bytes: newPassword.bytes },
  },
} as const satisfies Readonly<Record<string, Rules>>;
