import { fileHead } from '../values/file-head.js';
import { type Size, svgSize } from './svg-size.js';

/**
 * The size is within the first bytes in every format but JPEG, where previews and comments may precede it.
 */
const HEAD_BYTES = 256 * 1024;

const png = (bytes: Buffer): Size => ({ width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) });

const gif = (bytes: Buffer): Size => ({ width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8) });

const bmp = (bytes: Buffer): Size => ({
  width: bytes.readInt32LE(18),
  // Negative if the rows are stored from top to bottom.
  height: Math.abs(bytes.readInt32LE(22)),
});

/** Lossy, lossless and extended WebP store it at different offsets. */
const WEBP: Readonly<Record<string, (bytes: Buffer) => Size>> = {
  'VP8 ': (bytes) => ({ width: bytes.readUInt16LE(26) & 0x3fff, height: bytes.readUInt16LE(28) & 0x3fff }),
  VP8L: (bytes) => {
    const bits = bytes.readUInt32LE(21);
    return { width: (bits & 0x3fff) + 1, height: ((bits >> 14) & 0x3fff) + 1 };
  },
  VP8X: (bytes) => ({ width: bytes.readUIntLE(24, 3) + 1, height: bytes.readUIntLE(27, 3) + 1 }),
};

const webp = (bytes: Buffer): Size | null => WEBP[bytes.toString('latin1', 12, 16)]?.(bytes) ?? null;

/** Markers of a JPEG frame header, which contains the size: C0 to CF except C4, C8 and CC. */
const isFrame = (mark: number): boolean => mark >= 0xc0 && mark <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(mark);

/** Whether an Exif segment says that the image is rotated by 90° (orientations 5 to 8). */
const isTurned = (exif: Buffer): boolean => {
  if (exif.toString('latin1', 0, 4) !== 'Exif') return false;
  const tiff = exif.subarray(6);
  const little = tiff.toString('latin1', 0, 2) === 'II';
  const short = (at: number): number => (little ? tiff.readUInt16LE(at) : tiff.readUInt16BE(at));
  const first = little ? tiff.readUInt32LE(4) : tiff.readUInt32BE(4);
  for (let entry = 0; entry < short(first); entry += 1) {
    const at = first + 2 + entry * 12;
    if (short(at) === 0x0112) return short(at + 8) >= 5;
  }
  return false;
};

const turnedIfReadable = (segment: Buffer): boolean => {
  try {
    return isTurned(segment);
  } catch {
    return false;
  }
};

const jpeg = (bytes: Buffer): Size | null => {
  let turned = false;
  for (let at = 2; bytes[at] === 0xff; at += 2 + bytes.readUInt16BE(at + 2)) {
    const mark = bytes.readUInt8(at + 1);
    if (mark === 0xe1) turned ||= turnedIfReadable(bytes.subarray(at + 4));
    if (!isFrame(mark)) continue;
    const [height, width] = [bytes.readUInt16BE(at + 5), bytes.readUInt16BE(at + 7)];
    return turned ? { width: height, height: width } : { width, height };
  }
  return null;
};

const READERS: Readonly<Record<string, (bytes: Buffer) => Size | null>> = {
  'image/png': png,
  'image/gif': gif,
  'image/bmp': bmp,
  'image/webp': webp,
  'image/jpeg': jpeg,
  'image/svg+xml': svgSize,
};

/**
 * Width and height in pixels as a browser displays the image, read from its header; null for other types and
 * for truncated headers. For drawings, and for machines without `sharp`.
 */
export const readImageSize = async (path: string, mime: string): Promise<Size | null> => {
  const read = READERS[mime];
  if (!read) return null;
  const head = await fileHead(path, HEAD_BYTES);
  try {
    const size = read(head);
    return size && size.width > 0 && size.height > 0 ? size : null;
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
};
