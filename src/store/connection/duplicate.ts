import { MongoServerError } from 'mongodb';

/**
 * The ways servers say "duplicate key" (docs/engines.md): 11000 everywhere, and on FerretDB also 1 (findOneAndUpdate) and 16908292 (the
 * loser of a race).
 */
const CODES = new Set([11000, 11001, 16908292]);

/** True when `error` is a server's refusal of a second document with the same unique key. */
export function isDuplicateKey(error: unknown): boolean {
  if (typeof error !== 'object' || error === null || !('code' in error)) return false;
  const { code } = error;
  if (typeof code !== 'number') return false;
  return CODES.has(code) || (code === 1 && 'message' in error && /duplicate/i.test(String(error.message)));
}

/** For what somebody else may store at the same moment: that is left as it is. */
export function unlessDuplicate(error: unknown): void {
  if (!isDuplicateKey(error)) throw error;
}

/** The same for stored values over which a unique index is to be built; FerretDB answers with its general error (1). */
export const isDuplicateValue = (error: unknown): boolean =>
  isDuplicateKey(error) || (error instanceof MongoServerError && error.code === 1);
