import { type Document, serialize } from 'bson';
import { EngineError } from '../errors.js';

/** The largest document that a collection holds, as in MongoDB: 16 MB. */
export const MAX_DOCUMENT_BYTES = 16 * 1024 * 1024;

/** Encodes a document as BSON; members that are undefined are left out. Throws `EngineError` for what BSON cannot hold. */
export function encodeDocument(document: Document): Buffer {
  try {
    const bytes = serialize(document, { ignoreUndefined: true });
    return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  } catch (error) {
    throw new EngineError('BadValue', error instanceof Error ? error.message : String(error));
  }
}
