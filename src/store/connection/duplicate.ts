import { MongoBulkWriteError, MongoServerError } from 'mongodb';

/**
 * The codes for "duplicate key" (docs/engines.md): 11000 on all servers; FerretDB also uses 1
 * (findOneAndUpdate) and 16908292 (when another write won a race).
 */
const CODES = new Set([11000, 11001, 16908292]);

/** FerretDB's messages for it under its general code 1: of its checks, and of PostgreSQL's in a race. */
const DUPLICATE = /duplicate|violates exclusion constraint/i;

/** Whether a server refused a second document with the same unique key. */
export function isDuplicateKey(error: unknown): boolean {
  if (typeof error !== 'object' || error === null || !('code' in error)) return false;
  const { code } = error;
  if (typeof code !== 'number') return false;
  return CODES.has(code) || (code === 1 && 'message' in error && DUPLICATE.test(String(error.message)));
}

/** Ignores a duplicate-key error, for documents that another process may insert at the same time. */
export function unlessDuplicate(error: unknown): void {
  if (!isDuplicateKey(error)) throw error;
}

/** The same for a bulk write in no order, of which nothing else may have been refused. */
export function unlessDuplicates(error: unknown): void {
  const refused = error instanceof MongoBulkWriteError ? [error.writeErrors].flat() : [];
  if (refused.length === 0 || !refused.every(isDuplicateKey)) throw error;
}

/** The same for building a unique index over stored values, where FerretDB returns its general error (1). */
export const isDuplicateValue = (error: unknown): boolean =>
  isDuplicateKey(error) || (error instanceof MongoServerError && error.code === 1);
