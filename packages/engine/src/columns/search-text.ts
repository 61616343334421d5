import { PAUSE, type Paced } from '../values/pace.js';
import type { Literal } from '../values/patterns/literal.js';
import { STRING } from '../values/type-bytes.js';
import { isTurnOver, tickNow } from '../values/work.js';
import type { Column } from './column.js';
import { Numbers } from './numbers.js';

/** The bytes to search for in the values of a column; undefined if comparing bytes is not sufficient. */
export function needleOf({ text, ignoresCase }: Literal): Buffer | undefined {
  const needle = Buffer.from(ignoresCase ? text.toLowerCase() : text, 'utf8');
  if (needle.includes(0) || (ignoresCase && needle.length !== text.length)) return undefined;
  // Invalid Unicode is decoded as U+FFFD.
  return text.includes('\ufffd') || (!ignoresCase && needle.toString('utf8') !== text) ? undefined : needle;
}

/** The number of bytes searched without a pause. */
const SLICE = 65_536;

/** The numbers of the strings in a column that contain a text, in order. Searches all of them at once. */
export function* searchText(column: Column, needle: Buffer): Paced<Numbers> {
  const { bytes } = column;
  const found = new Numbers();
  let value = 0;
  for (let from = 0; from < bytes.length; from += SLICE) {
    // A match that begins in one slice may end in the next.
    const slice = bytes.subarray(0, from + SLICE + needle.length - 1);
    let at = slice.indexOf(needle, from);
    while (at >= 0) {
      value = column.valueAt(at, value);
      // A string and the length before it both end with a zero byte, so no match spans two strings.
      const isText = column.typeOf(value) === STRING && at >= column.startOf(value) + 4;
      if (isText && (found.length === 0 || found.at(found.length - 1) !== value)) found.push(value);
      at = slice.indexOf(needle, isText ? column.startOf(value + 1) : at + 1);
    }
    tickNow();
    if (isTurnOver()) yield PAUSE;
  }
  return found;
}
