import { ApiError, type FieldError } from '../errors.js';

type SystemError = Error & {
  readonly code?: unknown;
  readonly syscall?: unknown;
  readonly port?: unknown;
  readonly path?: unknown;
};

/** Explanations for a port or address that cannot be listened on, by Node's code. */
const LISTENING: Readonly<Record<string, (error: SystemError) => string>> = {
  EADDRINUSE: ({ port }) =>
    `Port ${port} is in use. Set PORT to a different port, or stop the program that uses it.`,
  EACCES: ({ port }) => `Port ${port} cannot be used by this user. Set PORT to a port above 1023.`,
  EADDRNOTAVAIL: ({ message }) =>
    `This machine does not have this address: ${message}. Set HOST to one of its addresses.`,
};

/** Explanations for a URI that the driver cannot parse, or a server that does not respond. */
const DRIVER: Readonly<Record<string, string>> = {
  MongoParseError: 'The database URI is malformed',
  MongoAPIError: 'The database URI cannot be used',
  MongoServerSelectionError: 'The database does not respond',
  MongoNetworkError: 'The database does not respond',
};

/** Prefixed with the field, unless the message names it. */
const faultLine = ({ path, message }: FieldError): string => {
  const field = path.join('.');
  return field === '' || message.includes(field) ? message : `${field}: ${message}`;
};

/**
 * A failed start in one line if the cause is known, so that nobody has to read a stack trace to find a busy
 * port.
 */
export const explainFailure = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error);
  const { code, syscall, port, path } = error as SystemError;
  const listening = typeof code === 'string' ? LISTENING[code] : undefined;
  if (listening && (syscall === 'listen' || port !== undefined)) return listening(error);
  if (syscall === 'getaddrinfo')
    return `There is no such address: ${error.message}. Set HOST to an address of this machine.`;
  if (typeof syscall === 'string' && syscall.startsWith('query'))
    return `The database does not respond: ${error.message}`;
  if (code === 'EACCES' && typeof path === 'string')
    return `This user cannot read or write a file: ${error.message}`;
  if (error instanceof ApiError && error.faults.length > 0) return error.faults.map(faultLine).join('\n');
  const explanation = DRIVER[error.name];
  return explanation ? `${explanation}: ${error.message}` : error.message;
};
