import type { Document } from 'bson';
import { fail } from '../../errors.js';
import type { Scope } from '../../expressions/scope.js';
import type { Windows } from './window-bounds.js';

/** One partition in its order. */
export interface Partition {
  readonly rows: readonly Document[];
  /** The values of the only field that it is sorted by. */
  readonly keys: readonly unknown[];
  /** Whether a row sorts equal to the one before it. */
  readonly ties: (row: number) => boolean;
}

/** Gives each row of a partition its value. */
export type WindowFunction = (partition: Partition) => unknown[];

/** One output of `$setWindowFields`: a window function and what it looks at. */
export interface WindowSpec {
  readonly name: string;
  readonly operand: unknown;
  /** The window as it was written; undefined where there is none. */
  readonly window: unknown;
  /** Reads the window. Throws where it is malformed or does not go with the sort. */
  readonly windows: () => Windows;
  readonly sortBy: Document | undefined;
}

/** Compiles a window function. */
export type CompileFunction = (spec: WindowSpec, scope: Scope) => WindowFunction;

/** Throws FailedToParse where a function's rows have no order. */
export function needSort({ name, sortBy }: WindowSpec): void {
  if (sortBy === undefined) fail('FailedToParse', `${name} requires an explicit 'sortBy'`);
}

/** Throws FailedToParse where a function is given a window that it does not look through. */
export function refuseWindow({ name, window }: WindowSpec): void {
  if (window !== undefined) fail('FailedToParse', `${name} does not accept a 'window' field`);
}
