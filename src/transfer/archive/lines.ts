import { isUtf8 } from 'node:buffer';
import type { Readable } from 'node:stream';
import { isDeeperThan, MAX_DEPTH } from '../../values/depth.js';
import { isObject } from '../../values/plain-object.js';

/** A longer line is not an entry: MongoDB's limit is 16 MB, and escapes make JSON longer. */
const LONGEST = 128 * 1024 * 1024;

/** A line of a `.jsonl` file; `damaged` says why it cannot be read. */
export type Line =
  | { readonly value: Record<string, unknown> }
  | { readonly damaged: string; readonly number: number };

/**
 * The JSON objects in a `.jsonl` file. A line that is not an object or is too long yields an error in its
 * place.
 */
export async function* jsonLines(bytes: Readable): AsyncGenerator<Line> {
  let parts: Buffer[] = [];
  let length = 0;
  let number = 0;
  const take = (last: Buffer): Line | null => {
    number += 1;
    const tooLong = length + last.length > LONGEST;
    const whole = tooLong ? null : Buffer.concat([...parts, last]);
    parts = [];
    length = 0;
    if (whole === null) return { damaged: 'is longer than 128 MB', number };
    // Decoded, its other bytes would be replaced.
    if (!isUtf8(whole)) return { damaged: 'is not UTF-8', number };
    const text = whole.toString('utf8').trim();
    return text === '' ? null : parse(text, number);
  };
  for await (const chunk of bytes as AsyncIterable<Buffer>) {
    let from = 0;
    for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, from)) {
      const line = take(chunk.subarray(from, at));
      if (line) yield line;
      from = at + 1;
    }
    const rest = chunk.subarray(from);
    length += rest.length;
    if (length > LONGEST) parts = [];
    else if (rest.length > 0) parts.push(rest);
  }
  const line = take(Buffer.alloc(0));
  if (line) yield line;
}

function parse(text: string, number: number): Line {
  try {
    const value: unknown = JSON.parse(text);
    if (isDeeperThan(value, MAX_DEPTH))
      return { damaged: `is nested more than ${MAX_DEPTH} levels deep`, number };
    if (isObject(value) && !Array.isArray(value)) return { value };
  } catch {
    // Reported below.
  }
  return { damaged: 'is not a JSON object', number };
}
