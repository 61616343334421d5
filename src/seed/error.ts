/** A row, or a whole seed, that cannot be stored. */
export class SeedError extends Error {
  override readonly name = 'SeedError';
}
