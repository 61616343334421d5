/** What went wrong, without a stack. */
export const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
