import type { Rules, StringRule } from '../body.js';
import { MAX_PASSWORD_BYTES } from './password.js';

/** Characters. */
const MAX_ADDRESS = 255;

const text = { required: true } as const;
const name = { required: true, plain: true } as const;
const address = { required: true, max: MAX_ADDRESS, email: true } as const;
const bytes = { max: MAX_PASSWORD_BYTES, message: 'Password must be less than 73 bytes' } as const;
const newPassword = { required: true, bytes } as const;
const repeated = {
  required: true,
  same: { field: 'password', message: 'Passwords do not match' },
} as const satisfies StringRule;

/** The rules for the body of each account route (rules H.3); the schema of accounts is checked after them. */
export const RULES = {
  signIn: { identifier: text, password: text },
  register: { email: address, username: name, password: newPassword },
  forgotPassword: { email: address },
  resetPassword: { passwordConfirmation: repeated, password: newPassword, code: text },
  changePassword: { passwordConfirmation: repeated, password: newPassword, currentPassword: text },
  confirmEmail: { confirmation: text },
  sendConfirmation: { email: address },
  refresh: { refreshToken: text },
  createUser: { email: address, username: { ...name, min: 1 }, password: { ...newPassword, min: 1 } },
  updateUser: {
    email: { email: true, min: 1, max: MAX_ADDRESS },
    username: { min: 1, plain: true },
    password: { otherwise: 'Password must be at least 1 character', bytes },
  },
} as const satisfies Readonly<Record<string, Rules>>;
