import type { Document } from 'bson';
import type { Scope } from '../../expressions/scope.js';
import { toDouble } from '../../values/numbers.js';

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

/** Compiles the operand of a window function. */
export type CompileFunction = (
  operand: unknown,
  window: Document | undefined,
  scope: Scope,
  name: string,
) => WindowFunction;

export const isNullish = (value: unknown): boolean => value === null || value === undefined;

/** A sort key or a value as a number: of a date its milliseconds. */
export const position = (key: unknown): number => (key instanceof Date ? key.getTime() : toDouble(key));
