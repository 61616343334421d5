import type { Document } from 'bson';
import { EngineError, endsCommand } from '../errors.js';
import type { Operation } from './operation.js';

/** A statement's error as an element of `writeErrors`; rethrows errors of the whole command. */
function writeError(index: number, error: unknown): Document {
  if (!(error instanceof EngineError) || endsCommand(error)) throw error;
  return { index, code: error.code, errmsg: error.message, ...error.details };
}

/**
 * Runs the statements of a write command one after another. An error ends an ordered command, or any in a transaction; an
 * unordered one continues. Returns the errors.
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

/** Throws the first error if a transaction is in progress, since it cannot continue. */
export const withErrors = (reply: Document, errors: readonly Document[]): Document =>
  errors.length === 0 ? { ...reply, ok: 1 } : { ...reply, writeErrors: errors, ok: 1 };
