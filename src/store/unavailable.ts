/** Telling a database that cannot be asked just now from one that refuses. */
import {
  MongoBulkWriteError,
  MongoError,
  MongoErrorLabel,
  MongoNetworkError,
  MongoServerSelectionError,
} from 'mongodb';

/**
 * A server that is not the primary any more, is shutting down, lost another server, or has too much to do; a commit or a write concern
 * that took too long (64).
 */
const CODES = new Set([
  6, 7, 64, 89, 91, 133, 134, 189, 262, 462, 9001, 10058, 10107, 11600, 11602, 13435, 13436,
]);
/** No connection was free in time, the pool had lost its server, or the client was closing. */
const NAMES = new Set([
  'MongoWaitQueueTimeoutError',
  'MongoPoolClearedError',
  'MongoNotConnectedError',
  'MongoServerClosedError',
  'MongoTopologyClosedError',
  'MongoClientClosedError',
  'MongoExpiredSessionError',
]);
const LABELS = [MongoErrorLabel.TransientTransactionError, MongoErrorLabel.UnknownTransactionCommitResult];

/** Whether the database could not be asked, or not to the end, so that the same request may succeed soon. */
export function isUnavailable(error: unknown): boolean {
  if (!(error instanceof MongoError)) return false;
  if (error instanceof MongoServerSelectionError || error instanceof MongoNetworkError) return true;
  if (NAMES.has(error.name) || CODES.has(Number(error.code))) return true;
  return isWrapped(error) || LABELS.some((label) => error.hasErrorLabel(label));
}

/** A bulk write wraps what kept it from being sent: it has neither a code nor errors of single writes. */
const isWrapped = (error: MongoError): boolean =>
  error instanceof MongoBulkWriteError &&
  error.code === undefined &&
  Array.isArray(error.writeErrors) &&
  error.writeErrors.length === 0;

/** Whether a transaction that met this has changed nothing and may be run again. */
export const isTransient = (error: unknown): boolean =>
  error instanceof MongoError && error.hasErrorLabel(MongoErrorLabel.TransientTransactionError);

/** MaxTimeMSExpired: a commit took longer than it may. */
export const isOutOfTime = (error: unknown): boolean =>
  error instanceof MongoError && Number(error.code) === 50;
