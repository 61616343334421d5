import { type Abortable, type AggregateOptions, MongoServerError } from 'mongodb';
import { type ApiError, errors } from '../../errors.js';
import { shorten } from '../../print-value.js';
import { endsWithConnection } from '../connection/engine.js';
import type { Store } from '../connection/store.js';
import type { ReadScope } from './read-scope.js';

/**
 * The options of each command of a read; throws if the request has ended. 64-bit integers stay `Long`, so
 * that a `biginteger` keeps all its digits.
 */
export function readOptions({ store, budget, session }: ReadScope): AggregateOptions & Abortable {
  budget?.signal.throwIfAborted();
  return {
    maxTimeMS: store.maxTimeMS,
    promoteLongs: false,
    // PCRE patterns may not be valid in JavaScript.
    bsonRegExp: true,
    // Strings stored by other programs may not be valid UTF-8.
    enableUtf8Validation: false,
    // Before MongoDB 6.0, a sort over 100 MB fails unless it may use the disk.
    allowDiskUse: true,
    ...(session && { session }),
    // If the server does not abort commands with their connection, the read is awaited, so that it still
    // counts as running.
    ...(budget && endsWithConnection(store.engine) && { signal: budget.signal }),
  };
}

const late = ({ maxTimeMS }: Store): ApiError =>
  errors.application('query-timed-out', `The query took longer than ${maxTimeMS} ms and was stopped`, {
    maxTimeMS,
    setting: 'database.maxTimeMS',
  });
const greedy = (): ApiError =>
  errors.application(
    'query-out-of-memory',
    'The query needs more memory than the database allows: sort or populate less at once',
  );
const large = (): ApiError =>
  errors.application(
    'populated-entry-too-large',
    'An entry is larger than 16 MB with everything it populates: populate less at once',
  );

const unjoinable = (): ApiError =>
  errors.application(
    'sharded-collection-not-joined',
    'MongoDB before 5.1 cannot join sharded collections: request the related entries separately',
  );

/**
 * The server's codes for reads that exceed its limits: MaxTimeMSExpired, NetworkInterfaceExceededTimeLimit
 * (of mongos); memory of a stage, size of a row; an unsupported join.
 */
const LIMITS: ReadonlyMap<number, (store: Store) => ApiError> = new Map([
  [50, late],
  [202, late],
  [146, greedy],
  [292, greedy],
  [4568, large],
  [10334, large],
  // FerretDB: a document of over 100 MB within the pipeline.
  [4031700, large],
  // NamespaceCannotBeSharded, for a $lookup before 5.1.
  [28769, unjoinable],
]);

/**
 * The 400 for a read that exceeds a limit; any other error is returned unchanged. `adopted`: the read uses
 * values stored by other programs.
 */
export function asRefusal(error: unknown, store: Store, adopted = false): ApiError | unknown {
  if (!(error instanceof MongoServerError)) return error;
  const refuse = LIMITS.get(Number(error.code));
  return refuse?.(store) ?? (adopted && isOfValues(error) ? unreadable(error) : error);
}

/**
 * BadValue, FailedToParse, TypeMismatch, CannotIndexParallelArrays, ConversionFailure: a stage does not
 * accept a stored value.
 */
const OF_VALUES: ReadonlySet<unknown> = new Set([2, 9, 14, 171, 241]);

const isOfValues = ({ code, codeName }: MongoServerError): boolean =>
  OF_VALUES.has(code) || /^Location\d+$/.test(codeName ?? '');

const unreadable = ({ message }: MongoServerError): ApiError =>
  errors.application(
    'stored-value-unreadable',
    `The collection contains values that this query cannot handle: ${shorten(message)}`,
  );

/**
 * The codes for a document that exceeds 16 MB within the pipeline, or a stage that exceeds its memory. A read
 * in sets may fail with these although the same read by row succeeds.
 */
const TOO_LARGE = new Set([146, 292, 4568, 10334, 16389, 17260, 17419, 17420, 4031700]);

export const isTooLarge = (error: unknown): boolean =>
  error instanceof MongoServerError && TOO_LARGE.has(Number(error.code));

/**
 * CursorNotFound, QueryPlanKilled, CursorKilled: the server lost the cursor, since it was restarted, or the
 * collection was replaced or dropped. The read can be repeated on the new state.
 */
const CURSOR_LOST: ReadonlySet<unknown> = new Set([43, 175, 237]);

export const isCursorLost = (error: unknown): boolean =>
  error instanceof MongoServerError && CURSOR_LOST.has(error.code);

/** Whether the server stopped the read because of its time limit. */
export const isLate = (error: unknown): boolean =>
  error instanceof MongoServerError && LIMITS.get(Number(error.code)) === late;
