/**
 * Compares stored values as MongoDB does: null first, strings by code point, numbers of all types by value.
 */

import { isBson } from '../../values/bson.js';

type Plain = null | boolean | number | bigint | string;

/** Negative, zero or positive. */
export function compareValues(left: unknown, right: unknown): number {
  const [a, b] = [plain(left), plain(right)];
  if (rank(a) !== rank(b)) return rank(a) - rank(b);
  if (typeof a === 'string' && typeof b === 'string') return compareText(a, b);
  return a === b || a === null || b === null ? 0 : a < b ? -1 : 1;
}

/** Whether two values are of types that can be compared. */
export const comparable = (left: unknown, right: unknown): boolean =>
  rank(plain(left)) === rank(plain(right));

const RANKS: Readonly<Record<string, number>> = { number: 1, bigint: 1, string: 2, boolean: 3 };
const rank = (value: Plain): number => (value === null ? 0 : (RANKS[typeof value] ?? 4));

function plain(value: unknown): Plain {
  if (value === null || value === undefined) return null;
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return value;
  if (value instanceof Date) return value.getTime();
  if (isBson(value, 'Long')) return BigInt(String(value));
  if (isBson(value, 'Decimal128')) return Number(String(value));
  return JSON.stringify(value);
}

/**
 * From U+D800 on, the order of UTF-16 code units, by which JavaScript compares, differs from that of code
 * points.
 */
const HIGH = /[\ud800-\uffff]/;

function compareText(left: string, right: string): number {
  if (left === right) return 0;
  if (HIGH.test(left) && HIGH.test(right)) return Buffer.compare(Buffer.from(left), Buffer.from(right));
  return left < right ? -1 : 1;
}
