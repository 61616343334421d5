const SLOTS = 4096;
const LONGEST = 32;
const table: (string | undefined)[] = new Array(SLOTS).fill(undefined);

/**
 * The string for some ASCII bytes, from a table of strings seen before: field names repeat in every document, and a shared string
 * saves both decoding and hashing.
 */
export function internName(buffer: Buffer, start: number, end: number): string {
  const length = end - start;
  if (length > LONGEST) return buffer.toString('utf8', start, end);
  let hash = length;
  for (let i = start; i < end; i++) hash = (Math.imul(hash, 31) + (buffer[i] ?? 0)) | 0;
  const slot = hash & (SLOTS - 1);
  const known = table[slot];
  if (known !== undefined && known.length === length) {
    let i = 0;
    while (i < length && known.charCodeAt(i) === buffer[start + i]) i += 1;
    // Equal codes below 0x80 are equal strings; names beyond ASCII are never in the table.
    if (i === length) return known;
  }
  const text = buffer.toString('utf8', start, end);
  if (text.length === length && isAscii(text)) table[slot] = text;
  return text;
}

function isAscii(text: string): boolean {
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) > 0x7f) return false;
  return true;
}
