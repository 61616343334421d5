/** What a start that failed says: one line where the cause is known, so that nobody has to read a stack to find a busy port. */
export const explainFailure = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error);
  const { code, port } = error as { code?: unknown; port?: unknown };
  if (code === 'EADDRINUSE')
    return `Port ${port} is in use. Set PORT to another one, or end what listens there.`;
  if (code === 'EACCES' && port !== undefined)
    return `Port ${port} may not be used by this user. Set PORT to one above 1023.`;
  if (error.name === 'MongoServerSelectionError') return `The database does not answer: ${error.message}`;
  return error.message;
};
