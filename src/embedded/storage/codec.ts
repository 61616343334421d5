const SHORT = 96;

/** Copies bytes into a pooled buffer; `length` may be less than the memory behind it (lmdb lends one buffer to all). */
function copyOf(bytes: Uint8Array): Buffer {
  const { length } = bytes;
  const out = Buffer.allocUnsafe(length);
  out.set(new Uint8Array(bytes.buffer, bytes.byteOffset, length));
  return out;
}

let lends = false;

/** How lmdb takes and gives values: bytes as they are, copied out of its own buffer on reading unless they are lent. */
export const VALUE_CODEC = {
  encode: (value: Buffer): Buffer => value,
  decode: (bytes: Buffer): Buffer => (lends ? bytes : copyOf(bytes)),
};

/** Reads a value without copying it: the bytes hold until the next read of any kind, which overwrites them. */
export function lent<T>(read: () => T): T {
  lends = true;
  try {
    return read();
  } finally {
    lends = false;
  }
}

/** Lent bytes as bytes of one's own. */
export const keep = (bytes: Buffer): Buffer => copyOf(bytes);

/** How lmdb takes and gives keys. Keys are short, so a loop is cheaper than a call into the runtime. */
export const KEY_CODEC = {
  writeKey(key: Uint8Array, target: Uint8Array, start: number): number {
    const { length } = key;
    if (length > SHORT) target.set(key, start);
    else for (let i = 0; i < length; i++) target[start + i] = key[i] as number;
    return start + length;
  },
  readKey(target: Uint8Array, start: number, end: number): Buffer {
    const length = end - start;
    const out = Buffer.allocUnsafe(length);
    for (let i = 0; i < length; i++) out[i] = target[start + i] as number;
    return out;
  },
};
