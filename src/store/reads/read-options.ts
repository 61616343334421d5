import { type Abortable, type AggregateOptions, MongoServerError } from 'mongodb';
import { type ApiError, errors } from '../../errors.js';
import { shorten } from '../../print-value.js';
import { endsWithConnection } from '../connection/engine.js';
import type { Store } from '../connection/store.js';

/**
 * Options of each command of a read; throws where its request is over. 64-bit integers stay `Long`: every digit of a `biginteger` is
 * kept (rules 0.4, 11).
 */
export function readOptions({ budget, engine, maxTimeMS, session }: Store): AggregateOptions & Abortable {
  budget?.signal.throwIfAborted();
  return {
    maxTimeMS,
    promoteLongs: false,
    // A pattern of PCRE may be none of JavaScript's.
    bsonRegExp: true,
    // Nor is what others wrote always UTF-8.
    enableUtf8Validation: false,
    // Before 6.0 a sort over 100 MB fails unless it may use the disk.
    allowDiskUse: true,
    ...(session && { session }),
    // Where the server would work on for nobody, the read is waited for, so that it counts as under way.
    ...(budget && endsWithConnection(engine) && { signal: budget.signal }),
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
 * The server's codes for reads beyond its limits: MaxTimeMSExpired, NetworkInterfaceExceededTimeLimit (of mongos); memory of a stage,
 * size of a row; a join that it does not know.
 */
const LIMITS: ReadonlyMap<number, (store: Store) => ApiError> = new Map([
  [50, late],
  [202, late],
  [146, greedy],
  [292, greedy],
  [4568, large],
  [10334, large],
  // FerretDB's, of 100 MB on the way.
  [4031700, large],
  // NamespaceCannotBeSharded, of a $lookup before 5.1.
  [28769, unjoinable],
]);

/** A refusal for what the caller asked too much of; any other error comes back as it is. `adopted`: others wrote what is read. */
export function asRefusal(error: unknown, store: Store, adopted = false): ApiError | unknown {
  if (!(error instanceof MongoServerError)) return error;
  const refuse = LIMITS.get(Number(error.code));
  return refuse?.(store) ?? (adopted && isOfValues(error) ? unreadable(error) : error);
}

/** BadValue, FailedToParse, TypeMismatch, CannotIndexParallelArrays, ConversionFailure: a stage met a value that it does not take. */
const OF_VALUES: ReadonlySet<unknown> = new Set([2, 9, 14, 171, 241]);

const isOfValues = ({ code, codeName }: MongoServerError): boolean =>
  OF_VALUES.has(code) || /^Location\d+$/.test(codeName ?? '');

const unreadable = ({ message }: MongoServerError): ApiError =>
  errors.application(
    'stored-value-unreadable',
    `The collection contains values that this query cannot handle: ${shorten(message)}`,
  );

/**
 * The codes of a document that passed 16 MB on its way, or of a stage that passed its memory, by which a read in sets may fail
 * where one by the row does not.
 */
const TOO_LARGE = new Set([146, 292, 4568, 10334, 16389, 17260, 17419, 17420, 4031700]);

export const isTooLarge = (error: unknown): boolean =>
  error instanceof MongoServerError && TOO_LARGE.has(Number(error.code));

/**
 * CursorNotFound, QueryPlanKilled, CursorKilled: the server lost its place in the answer, since it was started again or the collection
 * was replaced or dropped meanwhile. Asked again, the read sees what is there then.
 */
const CURSOR_LOST: ReadonlySet<unknown> = new Set([43, 175, 237]);

export const isCursorLost = (error: unknown): boolean =>
  error instanceof MongoServerError && CURSOR_LOST.has(error.code);

/** Whether the server stopped it for the time that it took. */
export const isLate = (error: unknown): boolean =>
  error instanceof MongoServerError && LIMITS.get(Number(error.code)) === late;
