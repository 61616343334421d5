import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type sharpFactory from 'sharp';
import { errors } from '../errors.js';
import type { RecordEvent } from '../events/events.js';
import { createGate, type Entrant, runThrough } from '../limits/gate.js';
import { readImageSize } from './image-size.js';
import type { Size } from './svg-size.js';
import type { ImageFormat } from './types.js';

type Sharp = typeof sharpFactory;

/** Types that `sharp` resizes. */
const RESIZED = new Set(['image/jpeg', 'image/png', 'image/webp', 'image/tiff', 'image/gif']);
const SVG = 'image/svg+xml';
const MEASURED = new Set([...RESIZED, 'image/avif', SVG]);
const ANIMATED = new Set(['image/gif', 'image/webp']);
const THUMBNAIL = { width: 245, height: 156 };

let loading: Promise<Sharp | null> | undefined;
/** `sharp` is an optional dependency: null if it is not installed or does not support this machine. */
const loadSharp = (): Promise<Sharp | null> => {
  loading ??= import('sharp').then(
    (module) => module.default,
    () => null,
  );
  return loading;
};

interface ImageSource {
  readonly path: string;
  readonly mime: string;
  readonly name: string;
  readonly hash: string;
  readonly ext: string;
  /** Clients take turns; the signal aborts waiting and rendering. */
  readonly who?: Entrant | undefined;
}

/** A format and the local file that contains it. */
interface RenderedFormat {
  readonly key: string;
  readonly path: string;
  readonly format: ImageFormat;
}

export interface ProbedImage {
  readonly width: number | null;
  readonly height: number | null;
  readonly formats: readonly RenderedFormat[];
}

const NOTHING: ProbedImage = { width: null, height: null, formats: [] };

/** Bytes in kilobytes with two decimals. */
export const kilobytes = (bytes: number): number => Math.round(bytes / 10) / 100;

/** The boxes that an image of this size is fitted into, by format name: only those smaller than the image. */
export const boxesFor = (
  { width, height }: Size,
  breakpoints: Readonly<Record<string, number>>,
): [string, Size][] => {
  const boxes: [string, Size][] = [
    ['thumbnail', THUMBNAIL],
    ...Object.entries(breakpoints).map(([name, side]): [string, Size] => [
      name,
      { width: side, height: side },
    ]),
  ];
  return boxes.filter(([, box]) => width > box.width || height > box.height);
};

interface Rendering {
  readonly sharp: Sharp;
  readonly source: ImageSource;
  /** Receives the rendered files. */
  readonly folder: string;
}

const render = async (
  { sharp, source, folder }: Rendering,
  name: string,
  box: Size,
): Promise<RenderedFormat> => {
  const hash = `${name}_${source.hash}`;
  const path = join(folder, `${hash}${source.ext}`);
  const image = sharp(source.path, { animated: ANIMATED.has(source.mime) })
    .autoOrient()
    .resize({ ...box, fit: 'inside' });
  const format = source.mime.slice('image/'.length) as 'jpeg' | 'png' | 'webp' | 'tiff' | 'gif';
  const info = await image.toFormat(format).toFile(path);
  const { size } = await stat(path);
  return {
    key: `${hash}${source.ext}`,
    path,
    format: {
      name: `${name}_${source.name}`,
      hash,
      ext: source.ext,
      mime: source.mime,
      path: null,
      width: info.width,
      height: info.pageHeight ?? info.height,
      size: kilobytes(size),
      sizeInBytes: size,
      url: `/uploads/${hash}${source.ext}`,
    },
  };
};

/** Decodes one image at a time: sharp already uses all cores, and each image needs memory for its pixels. */
const decoding = createGate({ atOnce: 1, maxWaiting: 50 });

interface Measured extends Size {
  readonly pages?: number | undefined;
}

/** Milliseconds that the header of an image may take; frames are counted by reading the whole file. */
const HEADER_MS = 10_000;

interface Measuring {
  readonly maxPixels: number;
  readonly who?: Entrant | undefined;
  /** Milliseconds. */
  readonly limit?: number;
}

const invalid = () => errors.validation('image-invalid', 'File is not a valid image');

/**
 * What `sharp` says of an image; null if it is none. Throws a 400 after `limit` milliseconds. The gate counts
 * the work until it has really ended.
 */
const metadataOf = (
  path: string,
  sharp: Sharp,
  { who, limit = HEADER_MS }: Measuring,
): Promise<Measured | null> =>
  new Promise((resolve, reject) => {
    const measure = async (): Promise<void> => {
      const late = setTimeout(() => reject(invalid()), limit);
      const size = sharp(path, { limitInputPixels: false }).metadata();
      resolve(await size.catch(() => null));
      clearTimeout(late);
    };
    runThrough(decoding, measure, who).catch(reject);
  });

/** Throws a 400 for an image with too many pixels, over all frames: a small file can contain very many. */
export const checkPixels = async (
  path: string,
  mime: string,
  measuring: Measuring,
  load: () => Promise<Sharp | null> = loadSharp,
): Promise<void> => {
  if (!MEASURED.has(mime)) return;
  const sharp = mime === SVG ? null : await load();
  const size: Measured | null = sharp
    ? await metadataOf(path, sharp, measuring)
    : await readImageSize(path, mime);
  if (!size) return;
  const frames = ANIMATED.has(mime) ? (size.pages ?? 1) : 1;
  const { maxPixels } = measuring;
  if (size.width * size.height * frames > maxPixels)
    throw errors.validation('image-too-large', `The image has more than ${maxPixels} pixels`);
};

interface Probing {
  readonly breakpoints: Readonly<Record<string, number>>;
  readonly folder: string;
  readonly record: RecordEvent;
}

/**
 * Width and height of an image in pixels, with its formats rendered into `folder`; nulls and no formats for
 * other files. Without `sharp`, which is recorded as an event, the size is read from the header and there are
 * no formats. Throws a 400 for an invalid image.
 */
export const probeImage = async (
  source: ImageSource,
  { breakpoints, folder, record }: Probing,
  load: () => Promise<Sharp | null> = loadSharp,
): Promise<ProbedImage> => {
  if (!MEASURED.has(source.mime)) return NOTHING;
  const { who } = source;
  // Never with `sharp`, which would draw it first: that can take any time.
  if (source.mime === SVG) {
    const size = await readImageSize(source.path, SVG);
    who?.signal?.throwIfAborted();
    return { ...NOTHING, ...size };
  }
  const sharp = await load();
  if (!sharp) {
    record({ name: 'images-not-resized' });
    return { ...NOTHING, ...(await readImageSize(source.path, source.mime)) };
  }
  const measure = async (): Promise<ProbedImage> => {
    const { autoOrient: size } = await sharp(source.path).metadata();
    const boxes = RESIZED.has(source.mime) ? boxesFor(size, breakpoints) : [];
    const formats: RenderedFormat[] = [];
    // One after the other: each is a full decode, and sharp already uses all cores.
    for (const [name, box] of boxes) {
      who?.signal?.throwIfAborted();
      formats.push(await render({ sharp, source, folder }, name, box));
    }
    return { ...size, formats };
  };
  const asInvalid = (): ProbedImage => {
    who?.signal?.throwIfAborted();
    if (!RESIZED.has(source.mime)) return NOTHING;
    throw invalid();
  };
  return runThrough(decoding, () => measure().catch(asInvalid), who);
};
