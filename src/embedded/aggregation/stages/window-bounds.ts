import type { Document } from 'bson';
import { fail } from '../../errors.js';
import { stepDate } from '../../expressions/date-steps.js';
import { toDouble } from '../../values/numbers.js';
import { isDocument, isNumeric } from '../../values/types.js';

/** The rows from `from` (inclusive) to `to` (exclusive) that a row's window shows. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/** Finds a row's window in its partition. */
export type FindSpan = (row: number) => Span;

/** What the rows of a partition are sorted by: their values and the direction. */
export interface SortedRows {
  readonly length: number;
  readonly keys: readonly unknown[];
}

const placeOf = (bound: unknown, row: number, edge: number): number => {
  if (bound === 'unbounded') return edge;
  return bound === 'current' ? row : row + toDouble(bound);
};

function checkBound(bound: unknown): void {
  if (bound !== 'unbounded' && bound !== 'current' && !isNumeric(bound)) {
    fail('FailedToParse', "Window bounds must be 'unbounded', 'current', or a number.");
  }
}

function byDocuments([lower, upper]: readonly [unknown, unknown], rows: SortedRows): FindSpan {
  return (row) => {
    const from = Math.max(0, placeOf(lower, row, 0));
    const to = Math.min(rows.length, placeOf(upper, row, rows.length - 1) + 1);
    return { from, to: Math.max(from, to) };
  };
}

function limitOf(bound: unknown, key: unknown, unit: string | undefined, edge: number): number {
  if (bound === 'unbounded') return edge;
  const value = key instanceof Date ? key.getTime() : toDouble(key);
  if (bound === 'current') return value;
  if (key instanceof Date) {
    if (unit === undefined) fail(5429513, "$setWindowFields range bounds over dates need a 'unit'");
    return stepDate(value, unit, toDouble(bound), 'UTC');
  }
  if (!isNumeric(key)) fail(5429414, 'Invalid range: Expected the sortBy field to be a number');
  return value + toDouble(bound);
}

function byRange(
  [lower, upper]: readonly [unknown, unknown],
  unit: string | undefined,
  rows: SortedRows,
): FindSpan {
  const numbers = rows.keys.map((key) => (key instanceof Date ? key.getTime() : toDouble(key)));
  return (row) => {
    const least = limitOf(lower, rows.keys[row], unit, Number.NEGATIVE_INFINITY);
    const most = limitOf(upper, rows.keys[row], unit, Number.POSITIVE_INFINITY);
    // The document itself, without those that tie with it.
    const from = lower === 'current' ? row : numbers.findIndex((value) => value >= least);
    const to = upper === 'current' ? row + 1 : numbers.findLastIndex((value) => value <= most) + 1;
    return from < 0 || to < from ? { from: 0, to: 0 } : { from, to };
  };
}

/** Reads a `window`; the whole partition where there is none. Throws FailedToParse. */
export function compileWindow(window: Document | undefined): (rows: SortedRows) => FindSpan {
  if (window === undefined) return (rows) => () => ({ from: 0, to: rows.length });
  if (!isDocument(window)) return fail('FailedToParse', "'window' field must be an object");
  const { documents, range, unit } = window;
  const bounds = documents ?? range;
  if (bounds === undefined) return (rows) => () => ({ from: 0, to: rows.length });
  if (!Array.isArray(bounds) || bounds.length !== 2)
    fail('FailedToParse', 'Window bounds must be a 2-element array');
  for (const bound of bounds) checkBound(bound);
  const whole = documents !== undefined || unit !== undefined;
  if (whole && bounds.some((bound) => isNumeric(bound) && !Number.isInteger(toDouble(bound))))
    fail('FailedToParse', 'Numeric document-based and time-based bounds must be an integer');
  if (documents !== undefined && unit !== undefined)
    fail('FailedToParse', "Window bounds can only specify 'unit' with range-based bounds.");
  const pair = bounds as [unknown, unknown];
  return documents === undefined ? (rows) => byRange(pair, unit, rows) : (rows) => byDocuments(pair, rows);
}
