import { errors } from '../errors.js';
import type { Entrant } from '../limits/gate.js';
import { checkFileName } from './file-name.js';
import { checkPixels, kilobytes, type ProbedImage, probeImage } from './images.js';
import { type FileSource, toLocalFile } from './scratch.js';
import { sniffType } from './sniff.js';
import type { FileInfo, Media } from './types.js';

/** The bytes of a file and information about it. */
export type FileInput = FileSource & {
  /** The original name, with its extension. */
  readonly name: string;
  /** The type declared by the sender. */
  readonly mime?: string | undefined;
  readonly fileInfo?: FileInfo;
  /** Clients take turns; the signal aborts the work before anything is stored. */
  readonly who?: Entrant | undefined;
};

/** A file that was checked, measured and rendered, still local. */
export interface PreparedFile extends ProbedImage {
  readonly path: string;
  readonly name: string;
  readonly mime: string;
  readonly size: number;
}

const checkSize = (name: string, size: number, limit: number): void => {
  if (size > limit) throw errors.tooLarge('file-too-large', `${name} exceeds size limit of ${limit}`);
};

/**
 * Checks a file and renders its formats into `folder`, for a key of `hash` and `ext`. Throws a 413
 * for a file that is too large, a 400 for one whose name, type or size in pixels is not allowed.
 */
export const prepareFile = async (
  { settings, record }: Media,
  input: FileInput,
  key: { readonly hash: string; readonly ext: string },
  folder: string,
): Promise<PreparedFile> => {
  const { who } = input;
  const name = checkFileName(input.fileInfo?.name ?? input.name);
  const { path, size } = await toLocalFile(input, folder);
  checkSize(name, size, settings.sizeLimit);
  const mime = await sniffType(path, input.name, input.mime, settings.security);
  const { breakpoints, maxPixels } = settings;
  await checkPixels(path, mime, { maxPixels, who });
  const image = await probeImage({ path, mime, name, ...key, who }, { breakpoints, folder, record });
  who?.signal?.throwIfAborted();
  return { path, name, mime, size: kilobytes(size), ...image };
};
