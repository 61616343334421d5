import type { Document } from 'bson';
import { type ErrorName, fail } from '../errors.js';
import { toDouble } from '../values/numbers.js';
import { shellText } from '../values/shell-text.js';
import { bsonTypeOf, isDocument, isNullish, isNumeric } from '../values/types.js';

/** MongoDB's code for what is refused. */
export type Code = number | ErrorName;

/** What an argument of an operator must be. */
export interface Argument<T> {
  readonly is: (value: unknown) => value is T;
  /** MongoDB's code for another value. */
  readonly code: Code;
  /** What is said of another value; `$op` and `$key` stand for the operator and the field, other names for the value. */
  readonly says: string;
  /** Null is another value too; elsewhere the operator gives null for it. */
  readonly refusesNull?: true;
  /** What it must be in the first place, with a code of its own; it is looked at where `is` does not hold. */
  readonly first?: Argument<unknown>;
}

/** An argument of the values that pass a test. */
export const argument =
  <T>(is: (value: unknown) => value is T) =>
  (code: Code, says: string): Argument<T> => ({ is, code, says });

/** Whether a number of any type is whole. */
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

/** A number that is a 32-bit integer: the code for what is not a number, and the next one for another number. */
export const anInt32 = (code: number, says: string, range: string): Argument<unknown> => ({
  is: (value): value is unknown => {
    const number = toDouble(value);
    return (number | 0) === number;
  },
  code: code + 1,
  says: range,
  first: aNumber(code, says),
});

/** The same argument, which may not be null either. */
export const needed = <T>(of: Argument<T>): Argument<T> => ({ ...of, refusesNull: true });

/** Whether an operator gives null because an argument is. */
const givesNull = (of: Argument<unknown>, value: unknown): boolean =>
  of.refusesNull !== true && isNullish(value);

/** Throws the argument's code for a value of another type; `key` is the field that it is of. */
export function checkArgument<T>(of: Argument<T>, value: unknown, op: string, key = ''): asserts value is T {
  if (of.is(value)) return;
  if (of.first !== undefined) checkArgument(of.first, value, op, key);
  const text = typeof value === 'string' ? value : '';
  const shown = { number: String(toDouble(value)), text, value: shellText(value) };
  fail(of.code, worded(of.says, { op, key, type: bsonTypeOf(value), ...shown }));
}

/** A message with what its placeholders stand for; two dollars are one. */
export const worded = (says: string, stands: Readonly<Record<string, string>>): string =>
  says.replace(/\$(op|key|type|number|text|value)\b|\$\$/g, (_, name = '') => stands[name] ?? '$');

/** What an operator gives where not all of its arguments are what they must be: null for null. Throws the first one's code. */
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

/** How many results are wanted: the argument `n`. Throws 5787908 for anything but a whole number above 0. */
export function countOf(value: unknown, name: string): number {
  const count = toDouble(value);
  if (!Number.isInteger(count) || count < 1)
    fail(5787908, `'n' must be greater than 0, found ${String(value)} for ${name}`);
  return count;
}
