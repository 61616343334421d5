import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createDocumentId } from '../../src/documents/document-id.js';
import type { Store } from '../../src/store/client.js';

/** One line of `seed/media.json`. */
export interface FixtureFile {
  readonly ref: string;
  readonly file: string;
  readonly type: string;
  readonly alternativeText: string | null;
  readonly caption: string | null;
}

interface Size {
  readonly width: number;
  readonly height: number;
}

/** The size limits of Strapi's formats (test/conformance/README.md, "Loading the seed"). */
const FORMATS: Readonly<Record<string, Size>> = {
  thumbnail: { width: 245, height: 156 },
  small: { width: 500, height: 500 },
};

/** Writes the row of a file as an upload would, without storing its bytes. */
export async function insertFile(
  store: Store,
  folder: string,
  file: FixtureFile,
  id: number,
): Promise<string> {
  const bytes = await readFile(join(folder, file.file));
  const documentId = createDocumentId();
  const [base = '', ext = ''] = [file.file.replace(/\.[^.]+$/, ''), /\.[^.]+$/.exec(file.file)?.[0]];
  const hash = `${base.replace(/\W+/g, '_')}_${documentId.slice(0, 10)}`;
  const size = file.type === 'image/png' ? pngSize(bytes) : null;
  const now = new Date();
  await store.db.collection('mangrove.files').insertOne({
    id,
    documentId,
    locale: null,
    name: file.file,
    alternativeText: file.alternativeText,
    caption: file.caption,
    focalPoint: null,
    width: size?.width ?? null,
    height: size?.height ?? null,
    formats: size && formatsOf(file, hash, ext, size),
    hash,
    ext,
    mime: file.type,
    size: kilobytes(bytes.length),
    url: `/uploads/${hash}${ext}`,
    previewUrl: null,
    provider: 'local',
    provider_metadata: null,
    createdAt: now,
    updatedAt: now,
    publishedAt: now,
  });
  return documentId;
}

/** Width and height from the header of a PNG. */
const pngSize = (bytes: Buffer): Size => ({ width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) });

const kilobytes = (bytes: number): number => Math.round(bytes / 10) / 100;

function formatsOf(file: FixtureFile, hash: string, ext: string, size: Size): object | null {
  const formats = Object.entries(FORMATS).flatMap(([name, bounds]) => {
    const scale = Math.min(bounds.width / size.width, bounds.height / size.height);
    if (scale >= 1) return [];
    const bytes = 1000;
    const format = {
      name: `${name}_${file.file}`,
      hash: `${name}_${hash}`,
      ext,
      mime: file.type,
      path: null,
      width: Math.round(size.width * scale),
      height: Math.round(size.height * scale),
      size: kilobytes(bytes),
      sizeInBytes: bytes,
      url: `/uploads/${name}_${hash}${ext}`,
    };
    return [[name, format] as const];
  });
  return formats.length > 0 ? Object.fromEntries(formats) : null;
}
