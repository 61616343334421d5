import { type Document, EJSON } from 'bson';
import type { EngineError } from '../../src/errors.js';
import { readNumber } from '../../src/values/numbers.js';
import { isDocument } from '../../src/values/types.js';

/**
 * A string that is the same for results that a reader would call equal: numbers by value (an engine may choose another
 * numeric type for the same number), fields in order if that matters.
 */
export function normal(value: unknown, ordered = true): string {
  const plain = (item: unknown): unknown => {
    const number = readNumber(item);
    if (number !== undefined) {
      if (number.type !== 'decimal') return { number: Number(number.value).toPrecision(12) };
      const double = Number(number.value.toString());
      return { number: double.toPrecision(12) };
    }
    if (Array.isArray(item)) return item.map(plain);
    if (isDocument(item)) {
      const members = Object.entries(item);
      if (!ordered) members.sort(([a], [b]) => (a < b ? -1 : 1));
      return Object.fromEntries(members.map(([name, member]) => [name, plain(member)]));
    }
    return item;
  };
  return EJSON.stringify({ value: plain(value) }, { relaxed: false });
}

/** A result as a string; the engine's own errors by their codes, anything else fails the test. */
export async function answer(
  ordered: boolean,
  give: () => Document[] | Promise<Document[]>,
): Promise<string> {
  try {
    return normal(await give(), ordered);
  } catch (error) {
    // The driver passes on the code as the BSON value that it received.
    const code = Number((error as EngineError).code);
    if (Number.isNaN(code)) throw error;
    return `error ${code}`;
  }
}
