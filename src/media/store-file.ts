import type { Documents } from '../documents/types.js';
import { ApiError, errors } from '../errors.js';
import type { Budget } from '../limits/budget.js';
import type { Caller } from '../query/read-plan.js';
import { isTemporary } from '../store/connection/unavailable.js';
import { extensionOf, hashOf } from './file-name.js';
import { formatsOf, keepBlobs, keysOf, removeBlobs } from './keep-blobs.js';
import { checkLinkRight, type LinkTarget, linkFiles } from './link-files.js';
import { type FileInput, type PreparedFile, prepareFile } from './prepare-file.js';
import { withScratch } from './scratch.js';
import type { FileEntry, FileInfo, Media } from './types.js';

interface StoreFilesOptions {
  readonly media: Media;
  readonly documents: Documents;
  /** One per file, in the same order; there may be fewer. */
  readonly infos: readonly FileInfo[];
  /** The entry that the files are linked to; null: none. */
  readonly target: LinkTarget | null;
  readonly caller: Caller;
  /** The limits of the request. */
  readonly budget?: Budget;
}

/**
 * Stores the files of one request, all or none, and links them to its target. Throws the 4xx of the first
 * error.
 */
export const storeFiles = async (
  files: readonly FileInput[],
  { media, documents, infos, target, caller, budget }: StoreFilesOptions,
): Promise<FileEntry[]> => {
  if (target) checkLinkRight(target, caller);
  const rows: FileEntry[] = [];
  try {
    for (const [index, file] of files.entries())
      rows.push(await storeFile(media, { ...file, fileInfo: infos[index] ?? {}, who: budget }));
    budget?.signal.throwIfAborted();
    budget?.clock.stop();
    if (target) await linkFiles(documents, target, rows, caller);
    return rows;
  } catch (error) {
    // Each of them, whatever becomes of the others.
    await Promise.allSettled(rows.map((row) => deleteFile(media, row)));
    throw error;
  }
};

const measured = ({ name, width, height, mime, size }: PreparedFile) => ({ name, width, height, mime, size });

/** Replaces the bytes of a stored file: `hash`, `ext`, `url` and whatever `fileInfo` does not name stay. */
export const replaceFile = (media: Media, stored: FileEntry, input: FileInput): Promise<FileEntry> =>
  withScratch(async (folder) => {
    const key = { hash: stored.hash, ext: stored.ext ?? '' };
    const file = await prepareFile(media, input, key, folder);
    return media.alone(stored.documentId, () => exchange(media, stored, file, input.fileInfo));
  });

const exchange = async (
  { provider, rows }: Media,
  { id, documentId, hash, ext }: FileEntry,
  file: PreparedFile,
  info: FileInfo = {},
): Promise<FileEntry> => {
  // Another replacement may have come first, with formats of its own.
  const old = await rows.find(id);
  if (!old) throw errors.missing('upload-target-not-found', 'Entity not found');
  const formats = formatsOf(file, hash) ?? {};
  const keys = keysOf({ hash, ext, formats });
  await keepBlobs(provider, `${hash}${ext ?? ''}`, file, new Set(keysOf(old)));
  const row = await rows.update(documentId, { ...info, ...measured(file), formats }).catch(async (error) => {
    // Whoever deleted the file meanwhile did not know of these bytes.
    if (error instanceof ApiError && error.status === 404) await removeBlobs(provider, keys);
    throw error;
  });
  await removeBlobs(
    provider,
    keysOf(old).filter((key) => !keys.includes(key)),
  );
  return row;
};

/** Changes the information about a file; its bytes stay. */
export const updateFileInfo = (media: Media, stored: FileEntry, info: FileInfo): Promise<FileEntry> =>
  media.rows.update(stored.documentId, info);

/** The row first: a file without a row only wastes space, a row without its file is broken. */
export const deleteFile = async (media: Media, stored: FileEntry): Promise<void> => {
  const removed = await media.rows.remove(stored.documentId);
  // It may have been replaced since it was read.
  await removeBlobs(media.provider, [...new Set([stored, ...removed].flatMap(keysOf))]);
};

/**
 * Stores one file: bytes and formats with the provider, then its row. Throws a 4xx for a file that is not
 * allowed.
 * @example await storeFile(media, { path: 'pizza.png', name: 'pizza.png', fileInfo: { caption: 'Hot' } })
 */
export const storeFile = (media: Media, input: FileInput): Promise<FileEntry> =>
  withScratch(async (folder) => {
    const key = { hash: hashOf(input.fileInfo?.name ?? input.name), ext: extensionOf(input.name) };
    const file = await prepareFile(media, input, key, folder);
    await keepBlobs(media.provider, `${key.hash}${key.ext}`, file);
    const row = {
      alternativeText: input.fileInfo?.alternativeText ?? null,
      caption: input.fileInfo?.caption ?? null,
      focalPoint: input.fileInfo?.focalPoint ?? null,
      ...measured(file),
      formats: formatsOf(file, key.hash),
      ...key,
      url: `/uploads/${key.hash}${key.ext}`,
      provider: media.provider.name,
      // Strapi requires it; there are no folders here.
      folderPath: '/',
    };
    try {
      return await media.rows.create(row);
    } catch (error) {
      // Of an answer that is lost, the row may be stored.
      if (!isTemporary(error)) await removeBlobs(media.provider, keysOf(row));
      throw error;
    }
  });
