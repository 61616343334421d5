const NULL = 0x0a;
const UNDEFINED = 0x06;

/** The sizes of values in bytes by type, apart from those that begin with their length. */
const SIZES: Readonly<Record<number, number>> = {
  1: 8,
  6: 0,
  7: 12,
  8: 1,
  9: 8,
  10: 0,
  16: 4,
  17: 8,
  18: 8,
  19: 16,
  127: 0,
  255: 0,
};
/** What values that begin with a length have besides. */
const BESIDES: Readonly<Record<number, number>> = { 2: 4, 3: 0, 4: 0, 5: 5, 13: 4, 14: 4, 15: 0 };
const REGEX = 11;

const afterText = (bytes: Buffer, at: number): number => bytes.indexOf(0, at) + 1;

function sizeAt(bytes: Buffer, type: number, at: number): number {
  const size = SIZES[type];
  if (size !== undefined) return size;
  if (type === REGEX) return afterText(bytes, afterText(bytes, at)) - at;
  const besides = BESIDES[type];
  if (besides === undefined) throw new RangeError(`a value of type ${type}`);
  return besides + bytes.readInt32LE(at);
}

/** A document in which some nulls are BSON's undefined, always the same ones. */
export function withUndefined(document: Uint8Array): Buffer {
  const bytes = Buffer.from(document);
  replaceIn(bytes, 0);
  return bytes;
}

function replaceIn(bytes: Buffer, start: number): void {
  for (let at = start + 4; bytes[at] !== 0; ) {
    const type = bytes[at] as number;
    const value = afterText(bytes, at + 1);
    if (type === NULL && at % 3 === 0) bytes[at] = UNDEFINED;
    if (type === 3 || type === 4) replaceIn(bytes, value);
    at = value + sizeAt(bytes, type, value);
  }
}
