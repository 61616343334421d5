import { createHash } from 'node:crypto';
import { comparableText } from '../../values/comparable-text.js';

/** A short text that is equal for values that MongoDB considers equal, and different otherwise. */
export const digest = (values: readonly unknown[]): string =>
  createHash('sha256')
    .update(JSON.stringify(values.map(comparableText)))
    .digest('base64url')
    .slice(0, 32);
