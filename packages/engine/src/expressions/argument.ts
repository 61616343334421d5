import type { Document } from 'bson';
import { type ErrorName, fail } from '../errors.js';
import { toDouble } from '../values/numbers.js';
import { shellText } from '../values/shell-text.js';
import { bsonTypeOf, isDocument, isNullish, isNumeric } from '../values/types.js';

/** MongoDB's code for an invalid value. */
export type Code = number | ErrorName;

/** The requirements for an argument of an operator. */
export interface Argument<T> {
  readonly is: (value: unknown) => value is T;
  /** MongoDB's code for another value. */
  readonly code: Code;
  /** The message for another value; `$op` and `$key` stand for the operator and the field, other names for the value. */
  readonly says: string;
  /** Null is invalid too; otherwise the operator returns null for it. */
  readonly refusesNull?: true;
  /** A more basic requirement with its own code; it is checked if `is` does not hold. */
  readonly first?: Argument<unknown>;
}

/** An argument whose values must pass a test. */
export const argument =
  <T>(is: (value: unknown) => value is T) =>
  (code: Code, says: string): Argument<T> => ({ is, code, says });

/** Whether a number of any type is an integer. */
const isWhole = (value: unknown): value is unknown => Number.isInteger(toDouble(value));

export const anArray = argument((value): value is readonly unknown[] => Array.isArray(value));
export const aString = argument((value): value is string => typeof value === 'string');
export const aBoolean = argument((value): value is boolean => typeof value === 'boolean');
export const aNumber = argument((value): value is unknown => isNumeric(value));
export const aWholeNumber = argument(isWhole);
export const anInteger = argument((value): value is unknown => ['int', 'long'].includes(bsonTypeOf(value)));
export const anObject = argument((value): value is Document => isDocument(value));
export const aTimestamp = argument(
  (value): value is { readonly high: number; readonly low: number } => bsonTypeOf(value) === 'timestamp',
);

/** A number that is a 32-bit integer: the code for anything but a number, and the next code for another number. */
export const anInt32 = (code: number, says: string, range: string): Argument<unknown> => ({
  is: (value): value is unknown => {
    const number = toDouble(value);
    return (number | 0) === number;
  },
  code: code + 1,
  says: range,
  first: aNumber(code, says),
});

/** The same argument, which must not be null either. */
export const needed = <T>(of: Argument<T>): Argument<T> => ({ ...of, refusesNull: true });

/** Whether an operator returns null because an argument is null. */
const givesNull = (of: Argument<unknown>, value: unknown): boolean =>
  of.refusesNull !== true && isNullish(value);

/** Throws the argument's code for a value of another type; `key` is its field. */
export function checkArgument<T>(of: Argument<T>, value: unknown, op: string, key = ''): asserts value is T {
  if (of.is(value)) return;
  if (of.first !== undefined) checkArgument(of.first, value, op, key);
  const text = typeof value === 'string' ? value : '';
  const shown = { number: String(toDouble(value)), text, value: shellText(value) };
  fail(of.code, worded(of.says, { op, key, type: bsonTypeOf(value), ...shown }));
}

/** A message with its placeholders filled in; two dollars mean one. */
export const worded = (says: string, stands: Readonly<Record<string, string>>): string =>
  says.replace(/\$(op|key|type|number|text|value)\b|\$\$/g, (_, name = '') => stands[name] ?? '$');

/** The result of an operator if some arguments are invalid: null for null. Otherwise throws the first one's code. */
export function refused(
  declared: readonly Argument<unknown>[],
  values: readonly unknown[],
  name: string,
): null {
  if (declared.some((of, i) => givesNull(of, values[i]))) return null;
  declared.forEach((of, i) => {
    checkArgument(of, values[i], name);
  });
  return null;
}

/** How many results are requested: the argument `n`. Throws 5787908 for anything but a positive integer. */
export function countOf(value: unknown, name: string): number {
  const count = toDouble(value);
  if (!Number.isInteger(count) || count < 1)
    fail(5787908, `'n' must be greater than 0, found ${String(value)} for ${name}`);
  return count;
}
