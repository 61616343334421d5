import { crc32, deflateSync } from 'node:zlib';

type Color = readonly [red: number, green: number, blue: number];

/** What a picture shows: a sky over a sea, with a round thing in it. */
export interface Scene {
  readonly sky: Color;
  readonly sea: Color;
  readonly thing: Color;
  /** Where the thing is, and its radius, in parts of the width. */
  readonly at: readonly [x: number, y: number, radius: number];
}

/** A PNG of this size, the same bytes each time; no image library is needed to make it. */
export function picture(width: number, height: number, scene: Scene): Uint8Array {
  const rows = Array.from({ length: height }, (_, y) => {
    const row = Buffer.alloc(1 + width * 3);
    for (let x = 0; x < width; x += 1)
      row.set(colorAt(x / width, y / width, height / width, scene), 1 + x * 3);
    return row;
  });
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  // Eight bits a channel, red-green-blue.
  header.set([8, 2], 8);
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(Buffer.concat(rows))),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function colorAt(x: number, y: number, bottom: number, { sky, sea, thing, at }: Scene): Color {
  const [cx, cy, radius] = at;
  if ((x - cx) ** 2 + (y - cy) ** 2 < radius ** 2) return thing;
  const horizon = bottom * 0.62;
  return y < horizon
    ? shade(sky, 1 - 0.35 * (y / horizon))
    : shade(sea, 0.7 + 0.3 * ((y - horizon) / (bottom - horizon)));
}

const shade = ([red, green, blue]: Color, light: number): Color => [
  Math.round(red * light),
  Math.round(green * light),
  Math.round(blue * light),
];

function chunk(type: string, data: Uint8Array): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const frame = Buffer.alloc(8);
  frame.writeUInt32BE(data.length, 0);
  frame.writeUInt32BE(crc32(body) >>> 0, 4);
  return Buffer.concat([frame.subarray(0, 4), body, frame.subarray(4)]);
}
