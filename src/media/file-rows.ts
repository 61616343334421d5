import type { Documents } from '../documents/types.js';
import { errors } from '../errors.js';
import { FILE_UID } from '../schema/uids.js';
import type { FileEntry, FileRows } from './types.js';

/** uid of the built-in type of files. */

/** Rows of files by way of the Document Service, so that its middlewares and events see them (rules G.10). */
export const fileRows = (documents: Documents): FileRows => {
  const files = documents(FILE_UID);
  // The built-in type has these attributes, and the reader answers with all of them.
  const asFile = (row: Record<string, unknown>): FileEntry => row as unknown as FileEntry;
  return {
    create: async (data) => asFile(await files.create({ data })),
    async update(documentId, data) {
      const row = await files.update({ documentId, data });
      if (row === null) throw errors.missing('upload-target-not-found', 'Entity not found');
      return asFile(row);
    },
    async remove(documentId) {
      await files.delete({ documentId });
    },
    async find(id) {
      const row = await files.findFirst({ filters: { id } });
      return row === null ? null : asFile(row);
    },
  };
};
