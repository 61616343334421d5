/** The message of an error, without its stack. */
export const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
