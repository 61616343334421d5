import type { Documents } from '../documents/types.js';
import type { Budget } from '../limits/budget.js';
import type { Caller } from '../query/read-plan.js';
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
    for (const row of rows) await deleteFile(media, row);
    throw error;
  }
};

const measured = ({ name, width, height, mime, size }: PreparedFile) => ({ name, width, height, mime, size });

/** Replaces the bytes of a stored file: `hash`, `ext`, `url` and whatever `fileInfo` does not name stay. */
export const replaceFile = (media: Media, stored: FileEntry, input: FileInput): Promise<FileEntry> =>
  withScratch(async (folder) => {
    const key = { hash: stored.hash, ext: stored.ext ?? '' };
    const file = await prepareFile(media, input, key, folder);
    await keepBlobs(media.provider, `${key.hash}${key.ext}`, file, new Set(keysOf(stored)));
    const formats = formatsOf(file, key.hash) ?? {};
    const row = await media.rows.update(stored.documentId, {
      ...input.fileInfo,
      ...measured(file),
      formats,
    });
    const kept = new Set(keysOf({ ...key, formats }));
    await removeBlobs(
      media.provider,
      keysOf(stored).filter((old) => !kept.has(old)),
    );
    return row;
  });

/** Changes the information about a file; its bytes stay. */
export const updateFileInfo = (media: Media, stored: FileEntry, info: FileInfo): Promise<FileEntry> =>
  media.rows.update(stored.documentId, info);

/** The row first: a file without a row only wastes space, a row without its file is broken. */
export const deleteFile = async (media: Media, stored: FileEntry): Promise<void> => {
  await media.rows.remove(stored.documentId);
  await removeBlobs(media.provider, keysOf(stored));
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
      await removeBlobs(media.provider, keysOf(row));
      throw error;
    }
  });
