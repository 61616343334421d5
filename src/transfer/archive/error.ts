/** An archive that cannot be read as what it says it is; the message is for the person who named it. */
export class ArchiveError extends Error {
  override readonly name = 'ArchiveError';
}
