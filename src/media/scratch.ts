import { createWriteStream } from 'node:fs';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

/** Runs `work` with a new temporary folder, which is removed afterwards. */
export const withScratch = async <T>(work: (folder: string) => Promise<T>): Promise<T> => {
  const folder = await mkdtemp(join(tmpdir(), 'mangrove-media-'));
  try {
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};

/** Bytes from any source. A path is only read. */
export type FileSource =
  | { readonly path: string }
  | { readonly buffer: Uint8Array }
  | { readonly stream: Readable };

/** A local file with these bytes, created in `folder` unless there is one already, and its size. */
export const toLocalFile = async (
  source: FileSource,
  folder: string,
): Promise<{ path: string; size: number }> => {
  const path = 'path' in source ? source.path : join(folder, 'original');
  if (!('path' in source)) {
    const stream = 'stream' in source ? source.stream : Readable.from([source.buffer]);
    await pipeline(stream, createWriteStream(path));
  }
  return { path, size: (await stat(path)).size };
};
