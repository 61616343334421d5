const SHORT = 96;

/** Copies bytes; their `length` may be less than the memory behind it (lmdb reuses one buffer for all reads). */
export function copyInto(target: Buffer, at: number, bytes: Buffer): void {
  target.set(new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.length), at);
}

/** Copies bytes into a pooled buffer. */
function copyOf(bytes: Buffer): Buffer {
  const out = Buffer.allocUnsafe(bytes.length);
  copyInto(out, 0, bytes);
  return out;
}

const encode = (value: Buffer): Buffer => value;

/** How lmdb reads and writes values: as bytes, copied out of its own buffer when read. */
export const COPYING = { encode, decode: copyOf };

/** The same without copying: the bytes are valid until the next read of any kind, which overwrites them. */
export const LENDING = { encode, decode: (bytes: Buffer): Buffer => bytes };

/** Copies borrowed bytes. */
export const keep = (bytes: Buffer): Buffer => copyOf(bytes);

/** How lmdb reads and writes keys. Keys are short, so a loop is cheaper than a call into the runtime. */
export const KEY_CODEC = {
  writeKey(key: Uint8Array, target: Uint8Array, start: number): number {
    const { length } = key;
    if (length > SHORT) target.set(key, start);
    else for (let i = 0; i < length; i++) target[start + i] = key[i] ?? 0;
    return start + length;
  },
  readKey(target: Uint8Array, start: number, end: number): Buffer {
    const length = end - start;
    const out = Buffer.allocUnsafe(length);
    for (let i = 0; i < length; i++) out[i] = target[start + i] ?? 0;
    return out;
  },
};
