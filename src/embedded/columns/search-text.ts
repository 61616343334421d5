import type { Literal } from '../values/patterns/literal.js';
import { STRING } from '../values/type-bytes.js';
import type { Column } from './column.js';

/** What is known about a value: nothing yet, or whether a test matches. */
export const UNKNOWN = 0;
export const FAILS = 1;
export const HOLDS = 2;

/** The bytes by which a string is found in the values of a column; undefined if bytes are not sufficient. */
export function needleOf({ text, ignoresCase }: Literal): Buffer | undefined {
  const needle = Buffer.from(ignoresCase ? text.toLowerCase() : text, 'utf8');
  if (needle.includes(0) || (ignoresCase && needle.length !== text.length)) return undefined;
  // Invalid Unicode is decoded as U+FFFD.
  return text.includes('\ufffd') || (!ignoresCase && needle.toString('utf8') !== text) ? undefined : needle;
}

/**
 * Finds the strings of a column that contain a text, in one search through all of them. Values that are not strings stay unknown.
 */
export function searchText({ types, starts, bytes }: Column, needle: Buffer, known: Uint8Array): void {
  for (let value = 0; value < types.length; value++) if (types[value] === STRING) known[value] = FAILS;
  let value = 0;
  let at = bytes.indexOf(needle);
  while (at >= 0) {
    while ((starts[value + 1] as number) <= at) value += 1;
    // A string ends with a zero byte, and so does the length before it, so nothing is found across two strings.
    const isText = types[value] === STRING && at >= (starts[value] as number) + 4;
    if (isText) known[value] = HOLDS;
    at = bytes.indexOf(needle, isText ? (starts[value + 1] as number) : at + 1);
  }
}
