import { fail } from '../errors.js';
import * as types from './type-bytes.js';

/** The deepest nesting of documents and arrays, the outermost included, as in MongoDB. */
export const DEEPEST = 200;

const invalid = (reason: string): never => fail('InvalidBSON', `bad BSON: ${reason}`);

/** A little-endian 32-bit integer of bytes that are there. */
const int = (bytes: Buffer, at: number): number =>
  (bytes[at] as number) |
  ((bytes[at + 1] as number) << 8) |
  ((bytes[at + 2] as number) << 16) |
  ((bytes[at + 3] as number) << 24);

/** Where a name ends, after its zero byte; `last` is a zero byte. */
function afterName(bytes: Buffer, start: number, last: number): number {
  let at = start;
  while (bytes[at] !== 0) at += 1;
  return at < last ? at + 1 : invalid('a name without an end');
}

function afterString(bytes: Buffer, at: number, last: number): number {
  if (at + 4 > last) return invalid('a string without a length');
  const length = int(bytes, at);
  const end = at + 4 + length;
  if (length < 1 || end > last || bytes[end - 1] !== 0) return invalid('a string of impossible length');
  return end;
}

function afterBinary(bytes: Buffer, at: number, last: number): number {
  if (at + 5 > last) return invalid('binary data without a length');
  const length = int(bytes, at);
  if (length < 0 || at + 5 + length > last) return invalid('binary data of impossible length');
  return at + 5 + length;
}

const afterBoolean = (bytes: Buffer, at: number): number =>
  (bytes[at] as number) <= 1 ? at + 1 : invalid('a boolean that is neither true nor false');

/** Checks nested documents; `depth` counts those around a position. */
class Checker {
  private depth = 0;

  constructor(private readonly bytes: Buffer) {}

  /** Where the document at a position ends, which may not be beyond `limit`. */
  afterDocument(start: number, limit: number): number {
    const { bytes } = this;
    if (start + 5 > limit) return invalid('a document without a length');
    const length = int(bytes, start);
    const end = start + length;
    const last = end - 1;
    if (length < 5 || end > limit || bytes[last] !== 0) return invalid('a document of impossible length');
    this.depth += 1;
    if (this.depth > DEEPEST) fail('Overflow', `BSONObj exceeds maximum nested object depth: ${DEEPEST}`);
    let at = start + 4;
    for (let type = bytes[at]; type !== 0; type = bytes[at]) {
      at += 1;
      // The name ends at the latest with the document.
      while (bytes[at] !== 0) at += 1;
      at += 1;
      const size = types.SIZES[type as number];
      at = size === undefined ? this.afterValue(type as number, at, last) : at + size;
      if (at > last) return invalid('a value beyond the end of its document');
    }
    this.depth -= 1;
    return at === last ? end : invalid('a document that ends before its length');
  }

  /** Where a value without a fixed size ends; `last` is the zero byte that ends the document around it. */
  private afterValue(type: number, at: number, last: number): number {
    const { bytes } = this;
    switch (type) {
      case types.STRING:
      case types.CODE:
      case types.SYMBOL:
        return afterString(bytes, at, last);
      case types.DOCUMENT:
      case types.ARRAY:
        return this.afterDocument(at, last);
      case types.BINARY:
        return afterBinary(bytes, at, last);
      case types.BOOLEAN:
        return afterBoolean(bytes, at);
      case types.REGEX:
        return afterName(bytes, afterName(bytes, at, last), last);
      case types.POINTER:
        return afterString(bytes, at, last) + 12;
      case types.SCOPED_CODE:
        return this.afterScopedCode(at, last);
      default:
        return invalid(`unknown type ${type}`);
    }
  }

  private afterScopedCode(at: number, last: number): number {
    if (at + 4 > last) return invalid('code without a length');
    const end = at + int(this.bytes, at);
    if (end > last || end <= at) return invalid('code of impossible length');
    const scope = afterString(this.bytes, at + 4, last);
    return this.afterDocument(scope, end) === end ? end : invalid('code of impossible length');
  }
}

/**
 * Checks the document that begins at a position, with everything in it: lengths, types, ends. Returns where it ends.
 * @throws EngineError InvalidBSON, or Overflow if it is nested too deeply
 */
export const checkDocument = (bytes: Buffer, start: number, limit: number): number =>
  new Checker(bytes).afterDocument(start, limit);
