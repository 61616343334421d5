import type { Document } from 'bson';

/** MongoDB's error names and codes (from its error_codes.yml), as far as this engine uses them. */
export const ERROR_CODES = {
  InternalError: 1,
  BadValue: 2,
  HostUnreachable: 6,
  UnknownError: 8,
  FailedToParse: 9,
  Unauthorized: 13,
  TypeMismatch: 14,
  Overflow: 15,
  InvalidLength: 16,
  ProtocolError: 17,
  AuthenticationFailed: 18,
  IllegalOperation: 20,
  InvalidBSON: 22,
  NamespaceNotFound: 26,
  IndexNotFound: 27,
  PathNotViable: 28,
  NonExistentPath: 29,
  ConflictingUpdateOperators: 40,
  CursorNotFound: 43,
  NoMatchingDocument: 47,
  NamespaceExists: 48,
  MaxTimeMSExpired: 50,
  DollarPrefixedFieldName: 52,
  EmptyFieldName: 56,
  CommandNotFound: 59,
  ImmutableField: 66,
  CannotCreateIndex: 67,
  IndexAlreadyExists: 68,
  InvalidOptions: 72,
  InvalidNamespace: 73,
  IndexOptionsConflict: 85,
  IndexKeySpecsConflict: 86,
  OperationFailed: 96,
  NotSingleValueField: 54,
  NotExactValueField: 111,
  WriteConflict: 112,
  DurationOverflow: 159,
  CommandNotSupported: 115,
  ConflictingOperationInProgress: 117,
  DocumentValidationFailure: 121,
  UnknownReplWriteConcern: 79,
  UnsatisfiableWriteConcern: 100,
  ExceededMemoryLimit: 146,
  QueryPlanKilled: 175,
  MaxSubPipelineDepthExceeded: 232,
  GraphContainsCycle: 5,
  OperationNotSupportedInTransaction: 263,
  NoQueryExecutionPlans: 291,
  APIVersionError: 322,
  APIStrictError: 323,
  APIMismatchError: 347,
  IncompatibleCollationVersion: 161,
  AmbiguousIndexKeyPattern: 181,
  ViewDepthLimitExceeded: 165,
  DatabaseDifferCase: 13297,
  NotARetryableWriteCommand: 50768,
  CommandNotSupportedOnView: 166,
  OptionNotSupportedOnView: 167,
  InvalidPipelineOperator: 168,
  CannotIndexParallelArrays: 171,
  InvalidIndexSpecificationOption: 197,
  NoSuchTransaction: 251,
  IncompleteTransactionHistory: 217,
  TransactionTooOld: 225,
  TransactionCommitted: 256,
  ConversionFailure: 241,
  ClientDisconnect: 279,
  ChangeStreamFatalError: 280,
  ChangeStreamHistoryLost: 286,
  QueryExceededMemoryLimitNoDiskUseAllowed: 292,
  QueryFeatureNotAllowed: 224,
  CursorKilled: 237,
  NotImplemented: 238,
  BSONObjectTooLarge: 10334,
  InterruptedAtShutdown: 11600,
  Interrupted: 11601,
  DuplicateKey: 11000,
} as const;

export type ErrorName = keyof typeof ERROR_CODES;

const NAMES = new Map<number, string>(Object.entries(ERROR_CODES).map(([name, code]) => [code, name]));

/** An error response: MongoDB's code, its name, a message and optional extra fields. */
export class EngineError extends Error {
  readonly code: number;
  readonly codeName: string;
  /** Additional fields of the response, such as `keyPattern` and `keyValue`. */
  readonly details: Document;
  /** Driver labels such as `TransientTransactionError`. */
  readonly labels: readonly string[];

  constructor(
    code: number | ErrorName,
    message: string,
    details: Document = {},
    labels: readonly string[] = [],
  ) {
    super(message);
    this.name = 'EngineError';
    this.code = typeof code === 'number' ? code : ERROR_CODES[code];
    this.codeName = NAMES.get(this.code) ?? `Location${this.code}`;
    this.details = details;
    this.labels = labels;
  }
}

/** Throws an `EngineError`; usable where an expression is expected. */
export function fail(code: number | ErrorName, message: string, details?: Document): never {
  throw new EngineError(code, message, details);
}

/** Errors that end a whole command rather than one statement or document of it. */
const FATAL: ReadonlySet<number> = new Set([
  ERROR_CODES.WriteConflict,
  ERROR_CODES.MaxTimeMSExpired,
  ERROR_CODES.InternalError,
  ERROR_CODES.InterruptedAtShutdown,
  ERROR_CODES.InvalidNamespace,
  ERROR_CODES.CommandNotSupportedOnView,
]);

/** Whether an error stops the whole command. */
export const endsCommand = (error: EngineError): boolean => FATAL.has(error.code);

/** Reasons outside the operation for ending it: its time is up, or the client has disconnected. */
const ENDED: ReadonlySet<number> = new Set([
  ERROR_CODES.MaxTimeMSExpired,
  ERROR_CODES.Interrupted,
  ERROR_CODES.ClientDisconnect,
  ERROR_CODES.InterruptedAtShutdown,
]);

/** Whether an error was caused by the request, rather than by ending the operation. */
export const isRefusal = (error: unknown): error is EngineError =>
  error instanceof EngineError && !ENDED.has(error.code);

/** A command that failed in part: its writes up to then remain. */
export class PartlyWritten extends EngineError {
  constructor(readonly reason: EngineError) {
    super(reason.code, reason.message, reason.details, reason.labels);
  }
}
