/** Distinguishes a database that is temporarily unavailable from one that refuses a request. */
import {
  MongoBulkWriteError,
  MongoError,
  MongoErrorLabel,
  MongoNetworkError,
  MongoServerSelectionError,
} from 'mongodb';
import { ApiError } from '../../errors.js';
import { codeOf } from '../../values/code-of.js';

/**
 * MongoDB error codes that mean the server cannot respond now, but the same request may succeed a moment
 * later.
 */
const CODES: ReadonlySet<number> = new Set([
  // Network errors, including those between mongos and a shard: HostUnreachable, HostNotFound,
  // RemoteResultsUnavailable, NetworkTimeout, FailedToSatisfyReadPreference, NoConfigPrimary,
  // SocketException, ConfigServerUnreachable, RetriableRemoteCommandFailure.
  ...[6, 7, 83, 89, 133, 149, 9001, 56846, 91331],
  // A change of primary, or a server that is starting or stopping: ShutdownInProgress,
  // ReadConcernMajorityNotAvailableYet, PrimarySteppedDown, ElectionInProgress, NotWritablePrimary (formerly
  // 10058), InterruptedAtShutdown, InterruptedDueToReplStateChange, NotPrimaryNoSecondaryOk,
  // NotPrimaryOrSecondary, InterruptedDueToStorageChange, InterruptedDueToFCVChange.
  ...[91, 134, 189, 216, 355, 10058, 10107, 11600, 11602, 13435, 13436, 10045600],
  // A write concern that was not satisfied in time (WriteConcernTimeout), or cannot be by the current members
  // (UnsatisfiableWriteConcern).
  ...[64, 100],
  // Overload: ExceededTimeLimit, TemporarilyUnavailable, ResourceExhausted,
  // PooledConnectionAcquisitionExceededTimeLimit, AdmissionQueueOverflow, RateLimitExceeded,
  // PooledConnectionAcquisitionRejected, IngressRequestRateLimitExceeded.
  ...[262, 365, 402, 407, 433, 449, 450, 462],
  // Time limits, if the caller has not handled them as a read that was too expensive: MaxTimeMSExpired, and
  // NetworkInterfaceExceededTimeLimit of mongos.
  ...[50, 202],
  // Conflicts with other operations: LockTimeout, WriteConflict, ConflictingOperationInProgress,
  // PreparedTransactionInProgress, ObjectIsBusy, UserWritesBlocked (while clusters are synchronized).
  ...[24, 112, 117, 267, 314, 371],
  // Killed from outside, or a cursor lost with its server: CursorNotFound, QueryPlanKilled, CursorKilled,
  // Interrupted, ClientMarkedKilled.
  ...[43, 175, 237, 11601, 46841],
  // A transaction that the server has aborted: SnapshotTooOld, SnapshotUnavailable, NoSuchTransaction,
  // MigrationConflict, TransactionCoordinatorSteppingDown, TransactionCoordinatorReachedAbortDecision,
  // TransactionExceededLifetimeLimitSeconds.
  ...[239, 246, 251, 272, 281, 282, 290],
  // Ranges or collections that are being moved to another shard, for which mongos itself retries for a while:
  // StaleShardVersion, StaleEpoch, StaleDbVersion, StaleChunkHistory, MovePrimaryInProgress,
  // ShardCannotRefreshDueToLocksHeld, MigrationBlockingOperationCoordinatorCleaningUp, UpdatesStillPending,
  // InterruptedDueToReshardingCriticalSection, StaleConfig.
  ...[63, 150, 249, 250, 319, 343, 406, 412, 453, 13388],
]);
/** Driver errors: no connection became free in time, the pool lost its server, or the client was closing. */
const NAMES = new Set([
  'MongoWaitQueueTimeoutError',
  // A connection closed instead of a response.
  'MongoUnexpectedServerResponseError',
  'MongoPoolClearedError',
  'MongoNotConnectedError',
  'MongoServerClosedError',
  'MongoTopologyClosedError',
  'MongoClientClosedError',
  'MongoExpiredSessionError',
]);
const LABELS = [MongoErrorLabel.TransientTransactionError, MongoErrorLabel.UnknownTransactionCommitResult];

/** It is not known whether a command took effect, and the driver failed to say why. */
export class OutcomeUnknown extends Error {
  override readonly name = 'OutcomeUnknown';
}

/** Node's error for a connection whose server side has closed; the driver passes it through unchanged. */
const isHalfClosed = (error: unknown): boolean => codeOf(error) === 'EPIPE';

/**
 * Whether the database was unavailable, before or during the operation, so that the same request may succeed
 * soon.
 */
export function isUnavailable(error: unknown): boolean {
  if (!(error instanceof MongoError)) return error instanceof OutcomeUnknown || isHalfClosed(error);
  if (error instanceof MongoServerSelectionError || error instanceof MongoNetworkError) return true;
  if (NAMES.has(error.name) || CODES.has(Number(error.code))) return true;
  return isWrapped(error) || LABELS.some((label) => error.hasErrorLabel(label));
}

/**
 * Whether the same operation may succeed in a moment: the database is not available, or others keep changing the document.
 * Of a write, it is not known whether it was stored.
 */
export const isTemporary = (error: unknown): boolean =>
  error instanceof ApiError ? error.status === 503 || error.code === 'write-conflict' : isUnavailable(error);

/**
 * A bulk write that could not be sent wraps the cause in an error without a code or individual write errors.
 */
const isWrapped = (error: MongoError): boolean =>
  error instanceof MongoBulkWriteError &&
  error.code === undefined &&
  Array.isArray(error.writeErrors) &&
  error.writeErrors.length === 0;

/** Whether a transaction failed with this error without changing anything, so that it may be run again. */
export const isTransient = (error: unknown): boolean =>
  error instanceof MongoError && error.hasErrorLabel(MongoErrorLabel.TransientTransactionError);

/** MaxTimeMSExpired: a commit exceeded its time limit. */
export const isOutOfTime = (error: unknown): boolean =>
  error instanceof MongoError && Number(error.code) === 50;
