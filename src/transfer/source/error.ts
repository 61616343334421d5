/** A source that cannot be read as what it says it is, or not now; the message is for the person who named it. */
export class ImportError extends Error {
  override readonly name = 'ImportError';
}
