import { createHmac, randomBytes } from 'node:crypto';

/** A new API key: 128 random bytes in hex, as in Strapi. Shown once, never stored. */
export const makeApiKey = (): string => randomBytes(128).toString('hex');

/** The stored form of an API key, by which it is looked up: HMAC-SHA512 with `API_TOKEN_SALT`, hex. */
export const hashApiKey = (key: string, salt: string): string =>
  createHmac('sha512', salt).update(key).digest('hex');
