import type { FieldType } from '../options/field-types.js';
import type { FieldReader, Fields } from '../options/read-fields.js';
import type { Command } from './operation.js';

/** The declaration of a command: its fields and where it may run. */
export interface Declaration {
  readonly run: Command;
  /** The type of its first field, which has its name; any if absent. */
  readonly takes?: FieldType;
  /** Its fields besides the name and the generic ones; if absent, any field is accepted. */
  readonly fields?: Fields;
  readonly aliases?: readonly string[];
  /** It may run in a transaction. */
  readonly transaction?: 'yes' | 'not first' | 'ends it';
  /** The error code for running it in a transaction on a system collection. */
  readonly onSystem?: number;
  /** It sends no result if the write concern does not request one. */
  readonly silent?: true;
  /** When a numbered request is repeated, it gets the same response and is not run again. */
  readonly retryable?: true;
  /** It may run on a view, or reads through it. */
  readonly views?: 'refused';
  /** It accepts read concerns other than `local`. */
  readonly readConcern?: true;
  /** In a transaction it accepts only the read concern `local`. */
  readonly localOnly?: true;
  readonly writeConcern?: true;
  /** It runs only on the database `admin`. */
  readonly admin?: true;
  /** It may run before authentication. */
  readonly open?: true;
  /** It belongs to the Stable API, version 1. */
  readonly stable?: true;
  /** The collection may be named by its UUID. */
  readonly byUuid?: true;
}

/** A declared command, ready to be called by one of its names. */
export interface KnownCommand extends Declaration {
  /** Its name in MongoDB's spelling. */
  readonly name: string;
  /** Checks a body and returns it in the form that the command uses. */
  readonly read: FieldReader;
}
