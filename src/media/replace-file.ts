import { formatsOf, keepBlobs, keysOf, removeBlobs } from './keep-blobs.js';
import { type FileInput, prepareFile } from './prepare-file.js';
import { withScratch } from './scratch.js';
import type { FileEntry, FileInfo, Media } from './types.js';

/** New bytes for a stored file: `hash`, `ext` and `url` stay, and so does what `fileInfo` does not name (rules I.1). */
export const replaceFile = (media: Media, stored: FileEntry, input: FileInput): Promise<FileEntry> =>
  withScratch(async (folder) => {
    const key = { hash: stored.hash, ext: stored.ext ?? '' };
    const file = await prepareFile(media, input, key, folder);
    await keepBlobs(media.provider, `${key.hash}${key.ext}`, file, new Set(keysOf(stored)));
    const formats = formatsOf(file, key.hash) ?? {};
    const row = await media.rows.update(stored.documentId, {
      ...input.fileInfo,
      name: file.name,
      width: file.width,
      height: file.height,
      formats,
      mime: file.mime,
      size: file.size,
    });
    const kept = new Set(keysOf({ ...key, formats }));
    await removeBlobs(
      media.provider,
      keysOf(stored).filter((old) => !kept.has(old)),
    );
    return row;
  });

/** What is said about a file; its bytes stay. */
export const updateFileInfo = (media: Media, stored: FileEntry, info: FileInfo): Promise<FileEntry> =>
  media.rows.update(stored.documentId, info);

/** The row first: a file without a row is only waste, a row without its file is broken. */
export const deleteFile = async (media: Media, stored: FileEntry): Promise<void> => {
  await media.rows.remove(stored.documentId);
  await removeBlobs(media.provider, keysOf(stored));
};
