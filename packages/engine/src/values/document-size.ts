import { fail } from '../errors.js';

/** The maximum size of a stored document, as in MongoDB: 16 MB. */
export const MAX_DOCUMENT_BYTES = 16 * 1024 * 1024;
/** The maximum size of a response row: stages may add a little to a stored document. */
export const MAX_ROW_BYTES = MAX_DOCUMENT_BYTES + 16 * 1024;

/** Rejects a document that is too large to be stored: with BadValue if it was sent, 17420 if an upsert created it. */
export function checkStored({ length }: { readonly length: number }, isUpsert: boolean): void {
  if (length <= MAX_DOCUMENT_BYTES) return;
  if (isUpsert) fail(17420, `Document to upsert is larger than ${MAX_DOCUMENT_BYTES}`);
  fail('BadValue', `object to insert too large. size in bytes: ${length}, max size: ${MAX_DOCUMENT_BYTES}`);
}

/** Rejects a document of more than `most` bytes with BSONObjectTooLarge. */
export function checkSize({ length }: { readonly length: number }, most: number): void {
  if (length > most)
    fail(
      'BSONObjectTooLarge',
      `BSONObj size: ${length} is invalid. Size must be between 0 and ${MAX_ROW_BYTES}(16MB)`,
    );
}
