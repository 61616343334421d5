const known = new WeakMap<object, Buffer>();

/**
 * Notes the encoded form of a document that is kept and never changed, so that an answer that holds it copies the
 * bytes instead of encoding it again.
 */
export function noteBytes(document: object, bytes: Buffer): void {
  known.set(document, bytes);
}

/** The encoded form of a document, where it was noted. */
export const knownBytes = (document: object): Buffer | undefined => known.get(document);
