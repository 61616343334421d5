import type { Documents } from '../documents/types.js';
import type { Budget } from '../limits/budget.js';
import { checkLinkRight, type LinkTarget, linkFiles } from './link-files.js';
import type { ReceivedFile } from './read-multipart.js';
import { deleteFile } from './replace-file.js';
import { storeFile } from './store-file.js';
import type { FileEntry, FileInfo, Media } from './types.js';

export interface StoreFilesOptions {
  readonly media: Media;
  readonly documents: Documents;
  /** One a file, in the same order; may be fewer. */
  readonly infos: readonly FileInfo[];
  /** The entry that gets them; null: none. */
  readonly target: LinkTarget | null;
  /** The caller's grants. */
  readonly allows: (action: string) => boolean;
  /** What the request may cost. */
  readonly budget?: Budget;
}

/** Stores the files of one request, all or none, and puts them into the entry that it names. Throws the 4xx of the first refusal. */
export const storeFiles = async (
  files: readonly ReceivedFile[],
  { media, documents, infos, target, allows, budget }: StoreFilesOptions,
): Promise<FileEntry[]> => {
  if (target) checkLinkRight(target, allows);
  const rows: FileEntry[] = [];
  try {
    for (const [index, file] of files.entries())
      rows.push(await storeFile(media, { ...file, fileInfo: infos[index] ?? {}, signal: budget?.signal }));
    budget?.signal.throwIfAborted();
    budget?.clock.stop();
    if (target) await linkFiles(documents, target, rows);
    return rows;
  } catch (error) {
    for (const row of rows) await deleteFile(media, row);
    throw error;
  }
};
