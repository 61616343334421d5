/** An import or export that cannot be done; the message is for the person who asked for it. */
export class ImportError extends Error {
  override readonly name = 'ImportError';
}
