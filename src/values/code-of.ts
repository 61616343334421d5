/** The `code` by which Node, the driver and packages say what failed; undefined where there is none. Errors of other contexts have theirs, too. */
export const codeOf = (error: unknown): unknown =>
  typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
