/**
 * The `code` of an error from Node, the driver or a package; undefined if there is none. Does not check for
 * `Error`, since an error from another realm is not an instance of this one's.
 */
export const codeOf = (error: unknown): unknown =>
  typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
