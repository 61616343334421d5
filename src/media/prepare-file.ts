import { errors } from '../errors.js';
import { checkFileName } from './file-name.js';
import { checkPixels, kilobytes, type ProbedImage, probeImage } from './images.js';
import { type FileSource, toLocalFile } from './scratch.js';
import { sniffType } from './sniff.js';
import type { FileInfo, Media } from './types.js';

/** Bytes and what is said about them. */
export type FileInput = FileSource & {
  /** The file's own name, with its ending. */
  readonly name: string;
  /** What the sender says it is. */
  readonly mime?: string | undefined;
  readonly fileInfo?: FileInfo;
  /** Ends the work on it before anything is kept. */
  readonly signal?: AbortSignal | undefined;
};

/** A file looked at, measured and rendered, still local. */
export interface PreparedFile extends ProbedImage {
  readonly path: string;
  readonly name: string;
  readonly mime: string;
  readonly size: number;
}

const checkSize = (name: string, size: number, limit: number): void => {
  if (size > limit) throw errors.tooLarge('file-too-large', `${name} exceeds size limit of ${limit}`);
};

/** Checks a file and makes its formats in `folder`, for a key of `hash` and `ext`. Throws the 4xx of rules I.1 and I.3. */
export const prepareFile = async (
  { settings, record }: Media,
  input: FileInput,
  key: { readonly hash: string; readonly ext: string },
  folder: string,
): Promise<PreparedFile> => {
  const { signal } = input;
  const name = (input.fileInfo?.name ?? input.name).normalize();
  checkFileName(name);
  const { path, size } = await toLocalFile(input, folder);
  checkSize(name, size, settings.sizeLimit);
  const mime = await sniffType(path, input.name, input.mime, settings.security);
  await checkPixels(path, mime, settings.maxPixels);
  const { breakpoints } = settings;
  const image = await probeImage({ path, mime, name, ...key, signal }, { breakpoints, folder, record });
  signal?.throwIfAborted();
  return { path, name, mime, size: kilobytes(size), ...image };
};
