import { createHash, randomBytes } from 'node:crypto';

/** A code that is mailed or handed out once: 64 random bytes in hex. */
export const makeCode = (): string => randomBytes(64).toString('hex');

/** What is kept of such a code. It is random enough that a fast hash gives nothing away. */
export const hashCode = (code: string): string => createHash('sha256').update(code).digest('hex');
