/** A source cannot be read, at all or at the moment; the message is for the person who named it. */
export class ImportError extends Error {
  override readonly name = 'ImportError';
}
