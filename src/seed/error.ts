/** A row or a whole source that cannot be stored. */
export class SeedError extends Error {
  override readonly name = 'SeedError';
}
