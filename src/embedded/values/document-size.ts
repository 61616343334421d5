import { fail } from '../errors.js';

/** The largest document that a collection holds, as in MongoDB: 16 MB. */
export const MAX_DOCUMENT_BYTES = 16 * 1024 * 1024;
/** The largest row of an answer: stages may add a little to a stored document. */
export const MAX_ROW_BYTES = MAX_DOCUMENT_BYTES + 16 * 1024;

/** Refuses a document of more than `most` bytes with BSONObjectTooLarge. */
export function checkSize({ length }: { readonly length: number }, most: number): void {
  if (length > most)
    fail(
      'BSONObjectTooLarge',
      `BSONObj size: ${length} is invalid. Size must be between 0 and ${MAX_ROW_BYTES}(16MB)`,
    );
}
