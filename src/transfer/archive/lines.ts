import type { Readable } from 'node:stream';
import { isObject } from '../../values/plain-object.js';
import { ArchiveError } from './error.js';

/** A line longer than this is not an entry: MongoDB holds 16 MB, and JSON escapes make it longer. */
const LONGEST = 128 * 1024 * 1024;

/** The JSON values of a `.jsonl` file, line by line. Throws an `ArchiveError` that names the line where one is broken. */
export async function* jsonLines(bytes: Readable, path: string): AsyncGenerator<Record<string, unknown>> {
  let parts: Buffer[] = [];
  let length = 0;
  let number = 0;
  const take = (last: Buffer): Record<string, unknown> | null => {
    number += 1;
    const text = Buffer.concat([...parts, last])
      .toString('utf8')
      .trim();
    parts = [];
    length = 0;
    return text === '' ? null : parse(text, path, number);
  };
  for await (const chunk of bytes as AsyncIterable<Buffer>) {
    let from = 0;
    for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, from)) {
      const value = take(chunk.subarray(from, at));
      if (value) yield value;
      from = at + 1;
    }
    const rest = chunk.subarray(from);
    length += rest.length;
    if (length > LONGEST) throw new ArchiveError(`${path}, line ${number + 1} is longer than 128 MB`);
    if (rest.length > 0) parts.push(rest);
  }
  const value = take(Buffer.alloc(0));
  if (value) yield value;
}

function parse(text: string, path: string, number: number): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    if (isObject(value)) return value;
  } catch {
    // Told below, with the place.
  }
  throw new ArchiveError(`${path}, line ${number} is not a JSON object`);
}
