/** Telling a database that cannot be asked just now from one that refuses. */
import {
  MongoBulkWriteError,
  MongoError,
  MongoErrorLabel,
  MongoNetworkError,
  MongoServerSelectionError,
} from 'mongodb';
import { codeOf } from '../../values/code-of.js';

/** Codes of MongoDB by which it says that it cannot answer just now; the same request may succeed a moment later. */
const CODES: ReadonlySet<number> = new Set([
  // The network, also between mongos and a shard: HostUnreachable, HostNotFound, RemoteResultsUnavailable, NetworkTimeout,
  // FailedToSatisfyReadPreference, NoConfigPrimary, SocketException, ConfigServerUnreachable, RetriableRemoteCommandFailure.
  ...[6, 7, 83, 89, 133, 149, 9001, 56846, 91331],
  // Another primary, or a server that starts or ends: ShutdownInProgress, ReadConcernMajorityNotAvailableYet, PrimarySteppedDown,
  // ElectionInProgress, NotWritablePrimary (10058 in older words), InterruptedAtShutdown, InterruptedDueToReplStateChange,
  // NotPrimaryNoSecondaryOk, NotPrimaryOrSecondary, InterruptedDueToStorageChange, InterruptedDueToFCVChange.
  ...[91, 134, 189, 216, 355, 10058, 10107, 11600, 11602, 13435, 13436, 10045600],
  // A write concern that is not fulfilled in time (WriteConcernTimeout), or not by the members there are (UnsatisfiableWriteConcern).
  ...[64, 100],
  // Too much to do: ExceededTimeLimit, TemporarilyUnavailable, ResourceExhausted, PooledConnectionAcquisitionExceededTimeLimit,
  // AdmissionQueueOverflow, RateLimitExceeded, PooledConnectionAcquisitionRejected, IngressRequestRateLimitExceeded.
  ...[262, 365, 402, 407, 433, 449, 450, 462],
  // Out of time where that is not what a reader asked too much of: MaxTimeMSExpired, NetworkInterfaceExceededTimeLimit of mongos.
  ...[50, 202],
  // Others are at it: LockTimeout, WriteConflict, ConflictingOperationInProgress, PreparedTransactionInProgress, ObjectIsBusy,
  // UserWritesBlocked (while clusters are synchronized).
  ...[24, 112, 117, 267, 314, 371],
  // Killed from outside, or its cursor lost with its server: CursorNotFound, QueryPlanKilled, CursorKilled, Interrupted,
  // ClientMarkedKilled.
  ...[43, 175, 237, 11601, 46841],
  // A transaction that the server has given up: SnapshotTooOld, SnapshotUnavailable, NoSuchTransaction, MigrationConflict,
  // TransactionCoordinatorSteppingDown, TransactionCoordinatorReachedAbortDecision, TransactionExceededLifetimeLimitSeconds.
  ...[239, 246, 251, 272, 281, 282, 290],
  // Ranges or collections on their way to another shard, which mongos tries again itself for a while: StaleShardVersion, StaleEpoch,
  // StaleDbVersion, StaleChunkHistory, MovePrimaryInProgress, ShardCannotRefreshDueToLocksHeld,
  // MigrationBlockingOperationCoordinatorCleaningUp, UpdatesStillPending, InterruptedDueToReshardingCriticalSection, StaleConfig.
  ...[63, 150, 249, 250, 319, 343, 406, 412, 453, 13388],
]);
/** No connection was free in time, the pool had lost its server, or the client was closing. */
const NAMES = new Set([
  'MongoWaitQueueTimeoutError',
  // A connection that ended in place of an answer.
  'MongoUnexpectedServerResponseError',
  'MongoPoolClearedError',
  'MongoNotConnectedError',
  'MongoServerClosedError',
  'MongoTopologyClosedError',
  'MongoClientClosedError',
  'MongoExpiredSessionError',
]);
const LABELS = [MongoErrorLabel.TransientTransactionError, MongoErrorLabel.UnknownTransactionCommitResult];

/** What Node says of a connection that the server has ended its side of; the driver passes it on as it is. */
const isHalfClosed = (error: unknown): boolean => codeOf(error) === 'EPIPE';

/** Whether the database could not be asked, or not to the end, so that the same request may succeed soon. */
export function isUnavailable(error: unknown): boolean {
  if (!(error instanceof MongoError)) return isHalfClosed(error);
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
