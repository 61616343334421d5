import type { Document } from 'bson';
import { type ErrorName, fail } from '../errors.js';
import { toDouble } from '../values/numbers.js';
import { bsonTypeOf, isDocument, isNullish, isNumeric } from '../values/types.js';

/** What an argument of an operator must be. */
export interface Argument<T> {
  readonly is: (value: unknown) => value is T;
  /** MongoDB's code for another value. */
  readonly code: number | ErrorName;
  /** What is said of another value, before its type; `$op` stands for the operator. */
  readonly says: string;
  /** Null is another value too; elsewhere the operator gives null for it. */
  readonly refusesNull?: true;
}

const argument =
  <T>(is: (value: unknown) => value is T) =>
  (code: number | ErrorName, says: string): Argument<T> => ({ is, code, says });

export const anArray = argument((value): value is readonly unknown[] => Array.isArray(value));
export const aString = argument((value): value is string => typeof value === 'string');
export const aNumber = argument((value): value is unknown => isNumeric(value));
export const anInteger = argument((value): value is unknown => ['int', 'long'].includes(bsonTypeOf(value)));
export const anObject = argument((value): value is Document => isDocument(value));
export const aTimestamp = argument(
  (value): value is { readonly high: number; readonly low: number } => bsonTypeOf(value) === 'timestamp',
);

/** The same argument, which may not be null either. */
export const needed = <T>(of: Argument<T>): Argument<T> => ({ ...of, refusesNull: true });

/** Whether an operator gives null because an argument is. */
export const givesNull = (of: Argument<unknown>, value: unknown): boolean =>
  of.refusesNull !== true && isNullish(value);

/** Throws the argument's code for a value of another type. */
export function checkArgument<T>(
  { is, code, says }: Argument<T>,
  value: unknown,
  name: string,
): asserts value is T {
  if (!is(value)) fail(code, `${says.replace('$op', () => name)} ${bsonTypeOf(value)}`);
}

/** How many results are wanted: the argument `n`. Throws 5787908 for anything but a whole number above 0. */
export function countOf(value: unknown, name: string): number {
  const count = toDouble(value);
  if (!Number.isInteger(count) || count < 1)
    fail(5787908, `'n' must be greater than 0, found ${String(value)} for ${name}`);
  return count;
}
