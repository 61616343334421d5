import { fail } from '../errors.js';

/** The largest document that a collection holds, as in MongoDB: 16 MB. */
export const MAX_DOCUMENT_BYTES = 16 * 1024 * 1024;
/** The largest row of an answer: stages may add a little to a stored document. */
export const MAX_ROW_BYTES = MAX_DOCUMENT_BYTES + 16 * 1024;

/** Refuses a document that is too large to be stored: with BadValue where it was sent, 17420 where an upsert made it. */
export function checkStored({ length }: { readonly length: number }, isUpsert: boolean): void {
  if (length <= MAX_DOCUMENT_BYTES) return;
  if (isUpsert) fail(17420, `Document to upsert is larger than ${MAX_DOCUMENT_BYTES}`);
  fail('BadValue', `object to insert too large. size in bytes: ${length}, max size: ${MAX_DOCUMENT_BYTES}`);
}

/** Refuses a document of more than `most` bytes with BSONObjectTooLarge. */
export function checkSize({ length }: { readonly length: number }, most: number): void {
  if (length > most)
    fail(
      'BSONObjectTooLarge',
      `BSONObj size: ${length} is invalid. Size must be between 0 and ${MAX_ROW_BYTES}(16MB)`,
    );
}
