import type { Document } from 'bson';
import { EngineError, endsCommand } from '../errors.js';
import type { Operation } from './operation.js';

/** A statement's error as a member of `writeErrors`; rethrows what concerns the whole command. */
export function writeError(index: number, error: unknown): Document {
  if (!(error instanceof EngineError) || endsCommand(error)) throw error;
  return { index, code: error.code, errmsg: error.message, ...error.details };
}

/**
 * Runs the statements of a write command one after the other. The first error ends an ordered command, and any in a
 * transaction; otherwise an unordered one goes on. Returns the errors.
 */
export function runStatements(
  { body, transaction }: Operation,
  count: number,
  run: (index: number) => void,
): Document[] {
  const errors: Document[] = [];
  for (let index = 0; index < count; index++) {
    try {
      run(index);
    } catch (error) {
      errors.push(writeError(index, error));
      if (body['ordered'] !== false || transaction !== undefined) break;
    }
  }
  return errors;
}

/** Throws the first error where a transaction is under way: it cannot go on. */
export const withErrors = (reply: Document, errors: readonly Document[]): Document =>
  errors.length === 0 ? { ...reply, ok: 1 } : { ...reply, writeErrors: errors, ok: 1 };
