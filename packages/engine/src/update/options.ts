import type { Document } from 'bson';
import type { Argument } from '../expressions/argument.js';
import type { Collation } from '../values/collation.js';

/** The context in which an update is compiled. */
export interface UpdateOptions {
  /** The query that selected the document, for the positional `$`. */
  readonly filter?: Document | undefined;
  readonly arrayFilters?: readonly Document[] | undefined;
  readonly collation?: Collation | undefined;
  /** The values of the command's `let`. */
  readonly variables?: Document | undefined;
  readonly now?: Date | undefined;
}

/** What an operator can use besides the value at its path. */
export interface UpdateContext {
  /** The old document. */
  readonly document: Document;
  /** Whether the document is about to be inserted by an upsert. */
  readonly inserting: boolean;
}

/** The new value of a field from its old one; `undefined` is missing on both sides. */
type ChangeValue = (value: unknown, context: UpdateContext) => unknown;

/** One field of one operator. */
export interface Change {
  readonly path: string;
  readonly change: ChangeValue;
  /** Whether a missing field, and the path to it, is created. */
  readonly creates: boolean;
  /** Whether it is an error that the path to a missing field is blocked by a scalar or an array. */
  readonly needsWay: boolean;
  /** The field whose value moves to `path`. */
  readonly renameFrom?: string;
}

/** Compiles the operand of one field of an operator. */
export type CompileChange = (operand: unknown, path: string, options: UpdateOptions) => ChangeValue;

/** The declaration of an update operator. */
export interface UpdateOperator {
  readonly compile: CompileChange;
  /** The requirements for a field's operand. */
  readonly takes?: Argument<unknown>;
  /** It leaves a missing field missing. */
  readonly neverCreates?: true;
  /** It ignores a path that cannot lead to the field. */
  readonly anyWay?: true;
}
