import { ApiError, type FieldError } from '../errors.js';

type SystemError = Error & {
  readonly code?: unknown;
  readonly syscall?: unknown;
  readonly port?: unknown;
  readonly path?: unknown;
};

/** A port or an address that cannot be listened on, by Node's code. */
const LISTENING: Readonly<Record<string, (error: SystemError) => string>> = {
  EADDRINUSE: ({ port }) => `Port ${port} is in use. Set PORT to another one, or end what listens there.`,
  EACCES: ({ port }) => `Port ${port} may not be used by this user. Set PORT to one above 1023.`,
  EADDRNOTAVAIL: ({ message }) => `This machine has no such address: ${message}. Set HOST to one of its own.`,
};

/** What the driver calls an address that it cannot read, or that nobody answers at. */
const DRIVER: Readonly<Record<string, string>> = {
  MongoParseError: 'The address of the database cannot be read',
  MongoAPIError: 'The address of the database cannot be used',
  MongoServerSelectionError: 'The database does not answer',
  MongoNetworkError: 'The database does not answer',
};

/** With the field, unless the message names it. */
const faultLine = ({ path, message }: FieldError): string => {
  const field = path.join('.');
  return field === '' || message.includes(field) ? message : `${field}: ${message}`;
};

/** A failed start in one line where the cause is known, so that nobody has to read a stack to find a busy port. */
export const explainFailure = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error);
  const { code, syscall, port, path } = error as SystemError;
  const listening = typeof code === 'string' ? LISTENING[code] : undefined;
  if (listening && (syscall === 'listen' || port !== undefined)) return listening(error);
  if (syscall === 'getaddrinfo')
    return `There is no such address: ${error.message}. Set HOST to one of this machine.`;
  if (typeof syscall === 'string' && syscall.startsWith('query'))
    return `The database does not answer: ${error.message}`;
  if (code === 'EACCES' && typeof path === 'string')
    return `A file may not be read or written by this user: ${error.message}`;
  if (error instanceof ApiError && error.faults.length > 0) return error.faults.map(faultLine).join('\n');
  const said = DRIVER[error.name];
  return said ? `${said}: ${error.message}` : error.message;
};
