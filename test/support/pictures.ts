/** Images that are small as files. */

/** Bytes of an animated GIF: black frames of `side` × `side` pixels. */
export const blackFrames = (frames: number, side: number): Buffer => {
  const size = Buffer.alloc(4);
  size.writeUInt16LE(side, 0);
  size.writeUInt16LE(side, 2);
  const head = Buffer.concat([
    Buffer.from('GIF89a'),
    size,
    Buffer.from([0x80, 0, 0, 0, 0, 0, 255, 255, 255]),
  ]);
  const data = blocks(pixels(side * side));
  const frame = Buffer.concat([
    Buffer.from([0x21, 0xf9, 4, 0, 1, 0, 0, 0]),
    Buffer.from([0x2c, 0, 0, 0, 0]),
    size,
    Buffer.from([0, 2]),
    data,
  ]);
  return Buffer.concat([head, ...Array.from({ length: frames }, () => frame), Buffer.from([0x3b])]);
};

/** LZW without compression: the table is cleared before every two pixels, so that codes stay 3 bits long. */
const pixels = (count: number): Buffer => {
  const codes: number[] = [];
  for (let i = 0; i < count; i += 2) codes.push(4, 0, 0);
  codes.push(5);
  const bytes = Buffer.alloc(Math.ceil((codes.length * 3) / 8));
  for (const [i, code] of codes.entries())
    for (let bit = 0; bit < 3; bit++) {
      const at = i * 3 + bit;
      if (code & (1 << bit)) bytes[at >> 3] = (bytes[at >> 3] ?? 0) | (1 << (at & 7));
    }
  return bytes;
};

/** As sub-blocks of at most 255 bytes, with the empty one that ends them. */
const blocks = (bytes: Buffer): Buffer => {
  const parts: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += 255) {
    const part = bytes.subarray(at, at + 255);
    parts.push(Buffer.from([part.length]), part);
  }
  return Buffer.concat([...parts, Buffer.from([0])]);
};
