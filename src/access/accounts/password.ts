import { randomBytes, timingSafeEqual } from 'node:crypto';
import type { Entrant } from '../../limits/gate.js';
import { bcryptCompare, scryptKey } from '../../limits/hashing/hash.js';

/**
 * scrypt parameters: 16 MiB and about 40 ms per password (OWASP's second choice of parameters, with p = 1).
 */
const COST = { N: 16_384, r: 8, p: 1 };
const KEY_BYTES = 32;

/**
 * Longer passwords are rejected: bcrypt, which imported accounts use, would silently truncate them
 * (CVE-2025-25298).
 */
export const MAX_PASSWORD_BYTES = 72;

const SALT_BYTES = 16;

/** `$scrypt$N=…,r=…,p=…$salt$key`, base64url. */
const hashText = (salt: Buffer, key: Buffer): string =>
  `$scrypt$N=${COST.N},r=${COST.r},p=${COST.p}$${salt.toString('base64url')}$${key.toString('base64url')}`;

/** Throws a 429 if too many wait, and the signal's reason if it is aborted meanwhile. */
export const hashPassword = async (password: string, who?: Entrant): Promise<string> => {
  const salt = randomBytes(SALT_BYTES);
  const key = await scryptKey(password, salt, { ...COST, bytes: KEY_BYTES }, who);
  return hashText(salt, Buffer.from(key));
};

/** A hash that takes as long to verify as any other, and that no password has. */
export const hashOfNothing = (): string => hashText(randomBytes(SALT_BYTES), randomBytes(KEY_BYTES));

const isBcrypt = (hash: string): boolean => /^\$2[aby]\$/.test(hash);

const verifyScrypt = async (password: string, hash: string, who?: Entrant): Promise<boolean> => {
  const match = /^\$scrypt\$N=(\d+),r=(\d+),p=(\d+)\$([\w-]+)\$([\w-]+)$/.exec(hash);
  if (!match) return false;
  const [, N, r, p, salt = '', key = ''] = match;
  const expected = Buffer.from(key, 'base64url');
  const cost = { N: Number(N), r: Number(r), p: Number(p), bytes: expected.length };
  const actual = await scryptKey(password, Buffer.from(salt, 'base64url'), cost, who);
  return timingSafeEqual(actual, expected);
};

/** Whether a password matches its hash: scrypt, or bcrypt for imported accounts. Throws as `hashPassword` does. */
export const verifyPassword = (password: string, hash: string, who?: Entrant): Promise<boolean> =>
  isBcrypt(hash) ? bcryptCompare(password, hash, who) : verifyScrypt(password, hash, who);

/**
 * Whether to replace an older hash at sign-in. Not if the password is longer than what the hash covers: the
 * rest of it was never verified.
 */
export const needsUpgrade = (hash: string, password: string): boolean =>
  isBcrypt(hash) && Buffer.byteLength(password) <= MAX_PASSWORD_BYTES;
