import type { Document } from 'bson';
import { fail } from '../../errors.js';
import type { Scope } from '../../expressions/scope.js';
import type { Windows } from './window-bounds.js';

/** A partition in sort order. */
export interface Partition {
  readonly rows: readonly Document[];
  /** The values of the only field that it is sorted by. */
  readonly keys: readonly unknown[];
  /** Whether a row sorts equal to the one before it. */
  readonly ties: (row: number) => boolean;
}

/** Computes the value of each row of a partition. */
export type WindowFunction = (partition: Partition) => unknown[];

/** One output of `$setWindowFields`: a window function and its window. */
interface WindowSpec {
  readonly name: string;
  readonly operand: unknown;
  /** The window as written; undefined if there is none. */
  readonly window: unknown;
  /** Reads the window. Throws if it is malformed or does not match the sort. */
  readonly windows: () => Windows;
  readonly sortBy: Document | undefined;
}

/** Compiles a window function. */
export type CompileFunction = (spec: WindowSpec, scope: Scope) => WindowFunction;

/** Throws FailedToParse if a function's rows have no order. */
export function needSort({ name, sortBy }: WindowSpec): void {
  if (sortBy === undefined) fail('FailedToParse', `${name} requires an explicit 'sortBy'`);
}

/** Throws FailedToParse if a function has a window that it does not use. */
export function refuseWindow({ name, window }: WindowSpec): void {
  if (window !== undefined) fail('FailedToParse', `${name} does not accept a 'window' field`);
}
