const known = new WeakMap<object, Buffer>();

/**
 * Notes the encoded form of a document that never changes, so that a response or a change that contains it copies the bytes instead
 * of encoding it again.
 */
export function noteBytes(document: object, bytes: Buffer): void {
  known.set(document, bytes);
}

/** The encoded form of a document, if it was noted. */
export const knownBytes = (document: object): Buffer | undefined => known.get(document);
