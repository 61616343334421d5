import { PAUSE, type Paced } from '../values/pace.js';
import type { Literal } from '../values/patterns/literal.js';
import { STRING } from '../values/type-bytes.js';
import { isTurnOver, tick } from '../values/work.js';
import type { Column } from './column.js';

/** The bytes by which a string is found in the values of a column; undefined if bytes are not sufficient. */
export function needleOf({ text, ignoresCase }: Literal): Buffer | undefined {
  const needle = Buffer.from(ignoresCase ? text.toLowerCase() : text, 'utf8');
  if (needle.includes(0) || (ignoresCase && needle.length !== text.length)) return undefined;
  // Invalid Unicode is decoded as U+FFFD.
  return text.includes('\ufffd') || (!ignoresCase && needle.toString('utf8') !== text) ? undefined : needle;
}

/** The bytes that are searched without a pause. */
const SLICE = 65_536;

/** The numbers of the strings of a column that contain a text, in order: one search goes through all of them. */
export function* searchText({ types, starts, bytes }: Column, needle: Buffer): Paced<number[]> {
  const found: number[] = [];
  let value = 0;
  for (let from = 0; from < bytes.length; from += SLICE) {
    // What begins in a slice may end in the next.
    const slice = bytes.subarray(0, from + SLICE + needle.length - 1);
    let at = slice.indexOf(needle, from);
    while (at >= 0) {
      while ((starts[value + 1] as number) <= at) value += 1;
      // A string ends with a zero byte, and so does the length before it, so nothing is found across two strings.
      const isText = types[value] === STRING && at >= (starts[value] as number) + 4;
      if (isText && found.at(-1) !== value) found.push(value);
      at = slice.indexOf(needle, isText ? (starts[value + 1] as number) : at + 1);
    }
    tick();
    if (isTurnOver()) yield PAUSE;
  }
  return found;
}
