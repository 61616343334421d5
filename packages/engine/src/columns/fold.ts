const CASE = 0x20;

/**
 * Whether a character that begins here is not ASCII but equals an ASCII letter when case is ignored: the
 * Kelvin sign and the long s.
 */
const isOdd = (bytes: Buffer, at: number): boolean =>
  bytes[at] === 0xc5
    ? bytes[at + 1] === 0xbf
    : bytes[at] === 0xe2 && bytes[at + 1] === 0x84 && bytes[at + 2] === 0xaa;

/**
 * Copies a BSON string, preceded by its length, with the ASCII letters in lower case. False if that is not enough for a
 * case-insensitive search for ASCII letters.
 */
export function foldInto(target: Buffer, start: number, source: Buffer): boolean {
  for (let i = 0; i < 4; i++) target[start + i] = source[i] as number;
  for (let i = 4; i < source.length; i++) {
    const byte = source[i] as number;
    if (byte > 0xc4 && isOdd(source, i)) return false;
    target[start + i] = byte > 0x40 && byte < 0x5b ? byte | CASE : byte;
  }
  return true;
}
