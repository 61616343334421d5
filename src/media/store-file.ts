import { endingOf, hashOf } from './file-name.js';
import { formatsOf, keepBlobs, keysOf, removeBlobs } from './keep-blobs.js';
import { type FileInput, prepareFile } from './prepare-file.js';
import { withScratch } from './scratch.js';
import type { FileEntry, Media } from './types.js';

/**
 * Stores one file: bytes and formats with the provider, then its row (rules I.2). Throws a 4xx for a file that is refused.
 * @example await storeFile(media, { path: 'pizza.png', name: 'pizza.png', fileInfo: { caption: 'Hot' } })
 */
export const storeFile = (media: Media, input: FileInput): Promise<FileEntry> =>
  withScratch(async (folder) => {
    const key = { hash: hashOf(input.fileInfo?.name ?? input.name), ext: endingOf(input.name) };
    const file = await prepareFile(media, input, key, folder);
    await keepBlobs(media.provider, `${key.hash}${key.ext}`, file);
    const row = {
      name: file.name,
      alternativeText: input.fileInfo?.alternativeText ?? null,
      caption: input.fileInfo?.caption ?? null,
      focalPoint: input.fileInfo?.focalPoint ?? null,
      width: file.width,
      height: file.height,
      formats: formatsOf(file, key.hash),
      ...key,
      mime: file.mime,
      size: file.size,
      url: `/uploads/${key.hash}${key.ext}`,
      provider: media.provider.name,
    };
    try {
      return await media.rows.create(row);
    } catch (error) {
      await removeBlobs(media.provider, keysOf(row));
      throw error;
    }
  });
