/** A migration that cannot be made, done or undone; nothing was written by what it refuses. */
export class MigrationError extends Error {
  override readonly name = 'MigrationError';
}
