import { createHash, randomBytes } from 'node:crypto';

/** A code that is mailed or handed out once: 64 random bytes in hex. */
export const makeCode = (): string => randomBytes(64).toString('hex');

/** The stored form of a code. Codes are random enough for a fast hash. */
export const hashCode = (code: string): string => createHash('sha256').update(code).digest('hex');
