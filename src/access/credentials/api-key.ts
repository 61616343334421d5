import { createHmac, randomBytes } from 'node:crypto';

/** A new API key: 128 random bytes in hex, as Strapi's. Shown once, never stored. */
export const makeApiKey = (): string => randomBytes(128).toString('hex');

/** What is stored of an API key and looked up by: HMAC-SHA512 with `API_TOKEN_SALT`, hex (rules H.2). */
export const hashApiKey = (key: string, salt: string): string =>
  createHmac('sha512', salt).update(key).digest('hex');
