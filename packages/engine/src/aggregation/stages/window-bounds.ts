import type { Document } from 'bson';
import { fail } from '../../errors.js';
import { stepDate } from '../../expressions/date-steps.js';
import type { Scope } from '../../expressions/scope.js';
import { toDouble } from '../../values/numbers.js';
import { bsonTypeOf, isDocument, isNumeric } from '../../values/types.js';

/** A sort key or a value as a number: for a date its milliseconds. */
export const position = (key: unknown): number => (key instanceof Date ? key.getTime() : toDouble(key));

/** The rows from `from` (inclusive) to `to` (exclusive) in a row's window. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/** Finds a row's window in its partition. */
type FindSpan = (row: number) => Span;

/** The sort keys of a partition's rows: their values and the direction. */
interface SortedRows {
  readonly length: number;
  readonly keys: readonly unknown[];
}

const placeOf = (bound: unknown, row: number, edge: number): number => {
  if (bound === 'unbounded') return edge;
  return bound === 'current' ? row : row + toDouble(bound);
};

/** A bound: a keyword, or a constant number. Throws FailedToParse. */
function boundOf(given: unknown, scope: Scope): unknown {
  if (given === 'unbounded' || given === 'current') return given;
  const bound = typeof given === 'string' ? given : scope.compile(given).constant?.value;
  if (!isNumeric(bound)) fail('FailedToParse', "Window bounds must be 'unbounded', 'current', or a number.");
  return bound;
}

const numberOf = (bound: unknown): number => (bound === 'current' ? 0 : toDouble(bound));

/** Throws 5339900 if there is no window between two bounds. */
function checkOrder(lower: unknown, upper: unknown): void {
  if (lower === 'unbounded' || upper === 'unbounded' || numberOf(lower) <= numberOf(upper)) return;
  fail(5339900, 'Lower bound must not exceed upper bound');
}

/** Throws 5339901 or 5339902 if the rows are not sorted as a window requires. */
function checkSorted(isRange: boolean, bounds: readonly unknown[], sortBy: Document | undefined): void {
  const fields = Object.keys(sortBy ?? {}).length;
  if (isRange && fields !== 1) fail(5339902, 'Range-based bounds require sortBy a single field');
  if (!isRange && fields === 0 && bounds.some((bound) => bound !== 'unbounded'))
    fail(5339901, 'Document-based bounds require a sortBy');
}

function byDocuments([lower, upper]: readonly [unknown, unknown], rows: SortedRows): FindSpan {
  return (row) => {
    const from = Math.max(0, placeOf(lower, row, 0));
    const to = Math.min(rows.length, placeOf(upper, row, rows.length - 1) + 1);
    return { from, to: Math.max(from, to) };
  };
}

/** Throws 5429413, 5429414 or 5429513 for a sort key that does not match the bounds. */
function checkKey(key: unknown, unit: string | undefined): void {
  const what = (type: string): string =>
    `Invalid range: Expected the sortBy field to be a ${type}, but it was ${bsonTypeOf(key)}`;
  if (unit !== undefined) {
    if (!(key instanceof Date)) fail(5429513, what('Date'));
    return;
  }
  if (key instanceof Date)
    fail(5429413, 'Invalid range: For windows that involve date or time ranges, a unit must be provided.');
  if (!isNumeric(key)) fail(5429414, what('number'));
}

function limitOf(bound: unknown, key: unknown, unit: string | undefined, edge: number): number {
  if (bound === 'unbounded') return edge;
  const value = position(key);
  if (bound === 'current') return value;
  return unit === undefined ? value + toDouble(bound) : stepDate(value, unit, toDouble(bound), 'UTC');
}

function byRange(
  [lower, upper]: readonly [unknown, unknown],
  unit: string | undefined,
  rows: SortedRows,
): FindSpan {
  for (const key of rows.keys) checkKey(key, unit);
  const numbers = rows.keys.map(position);
  return (row) => {
    const least = limitOf(lower, rows.keys[row], unit, Number.NEGATIVE_INFINITY);
    const most = limitOf(upper, rows.keys[row], unit, Number.POSITIVE_INFINITY);
    // The document itself, without those that tie with it.
    const from = lower === 'current' ? row : numbers.findIndex((value) => value >= least);
    const to = upper === 'current' ? row + 1 : numbers.findLastIndex((value) => value <= most) + 1;
    return from < 0 || to < from ? { from: 0, to: 0 } : { from, to };
  };
}

/** Finds the windows of the rows of a partition. */
export type Windows = (rows: SortedRows) => FindSpan;

const WHOLE: Windows = (rows) => () => ({ from: 0, to: rows.length });

const FIELDS = ['documents', 'range', 'unit'];

/**
 * Reads a `window`; the whole partition if there is none. Throws FailedToParse if it is malformed, and MongoDB's codes for bounds
 * that do not match each other or the sort.
 */
export function compileWindow(window: unknown, sortBy: Document | undefined, scope: Scope): Windows {
  if (window === undefined) return WHOLE;
  if (!isDocument(window)) return fail('FailedToParse', "'window' field must be an object");
  const odd = Object.keys(window).find((name) => !FIELDS.includes(name));
  if (odd !== undefined) fail('FailedToParse', `'window' field contains an unknown argument: ${odd}`);
  const { documents, range, unit } = window;
  if (documents !== undefined && range !== undefined)
    fail('FailedToParse', "Window bounds can specify either 'documents' or 'unit', not both.");
  if (range === undefined && unit !== undefined)
    fail('FailedToParse', "Window bounds can only specify 'unit' with range-based bounds.");
  const given = documents ?? range;
  if (given === undefined) return WHOLE;
  if (!Array.isArray(given) || given.length !== 2)
    return fail('FailedToParse', 'Window bounds must be a 2-element array');
  const pair = given.map((bound) => boundOf(bound, scope)) as [unknown, unknown];
  const whole = documents !== undefined || unit !== undefined;
  if (whole && pair.some((bound) => isNumeric(bound) && !Number.isInteger(toDouble(bound))))
    fail('FailedToParse', 'Numeric document-based and time-based range-based bounds must be an integer');
  checkOrder(...pair);
  checkSorted(documents === undefined, pair, sortBy);
  return documents === undefined ? (rows) => byRange(pair, unit, rows) : (rows) => byDocuments(pair, rows);
}
