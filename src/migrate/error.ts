/** A migration cannot be created, run or undone; the refused step has not written anything. */
export class MigrationError extends Error {
  override readonly name = 'MigrationError';
}
