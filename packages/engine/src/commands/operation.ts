import type { Document } from 'bson';
import type { Engine } from '../engine.js';
import { fail } from '../errors.js';
import { Meter } from '../planner/meter.js';
import { noSuchTransaction } from '../sessions/sessions.js';
import type { Transaction } from '../sessions/transaction.js';
import type { Batch } from '../storage/batch.js';
import type { Snapshot } from '../storage/reader.js';
import type { Reader, Writable } from '../storage/view.js';
import { toDouble } from '../values/numbers.js';
import { drive, type Paced } from '../values/pace.js';
import { bsonTypeOf, isNumeric } from '../values/types.js';
import { within } from '../values/work.js';
import type { Connection } from '../wire/server.js';

/** A command that is being executed. */
export interface Operation {
  readonly engine: Engine;
  readonly connection: Connection;
  /** The command's name in MongoDB's spelling. */
  readonly command: string;
  /** Its name as the client wrote it: the body's first field. */
  readonly name: string;
  readonly body: Document;
  readonly db: string;
  readonly sequences: ReadonlyMap<string, readonly Buffer[]>;
  readonly session: string | undefined;
  readonly transaction: Transaction | undefined;
  /** The number of a retryable write. */
  readonly retryNumber: number | undefined;
  readonly meter: Meter;
  /** The part of the write concern that cannot be satisfied. */
  readonly writeConcernError: Document | undefined;
}

/** The response of a command: a document, or its bytes. */
export type Answer = Document | Buffer;

/** Runs a command. Throws `EngineError`, which becomes the error response. */
export type Command = (operation: Operation) => Answer | Promise<Answer>;

/** The collection that a command names in its first field. Throws InvalidNamespace. */
export function collectionName(operation: Operation): string {
  const name = operation.body[operation.name];
  if (typeof name !== 'string') {
    return fail('InvalidNamespace', `collection name has invalid type ${bsonTypeOf(name)}`);
  }
  checkName(operation.db, name);
  return name;
}

/** Throws InvalidNamespace for names that MongoDB does not allow. */
export function checkName(db: string, name: string): void {
  if (name === '' || name.includes('\0') || name.startsWith('.') || name.includes('$')) {
    fail('InvalidNamespace', `Invalid namespace specified '${db}.${name}'`);
  }
  if (Buffer.byteLength(`${db}.${name}`) > 255) {
    fail('InvalidNamespace', `Fully qualified namespace is too long. Namespace: ${db}.${name} Max: 255`);
  }
}

/** Splits a name that includes its database. Throws InvalidNamespace if it has none. */
export function splitName(given: unknown): [db: string, name: string] {
  const text = typeof given === 'string' ? given : '';
  const dot = text.indexOf('.');
  if (dot <= 0) fail('InvalidNamespace', `Invalid namespace specified '${text}'`);
  return [text.slice(0, dot), text.slice(dot + 1)];
}

/** A state that is read from; to be released afterwards. */
export interface Reading {
  readonly reader: Reader;
  readonly release: () => void;
}

/** A state to read from: the transaction's, or the committed one; `release` must be called afterwards. */
export function openReader(operation: Operation): Reading {
  if (operation.transaction !== undefined) return { reader: operation.transaction.view, release: () => {} };
  const snapshot: Snapshot = operation.engine.snapshot();
  return { reader: snapshot, release: () => snapshot.close() };
}

/** Reads without interruption. */
export function read<T>(operation: Operation, work: (reader: Reader) => T): T {
  const { reader, release } = openReader(operation);
  try {
    return work(reader);
  } finally {
    release();
  }
}

/** Runs a function in the next commit, within the operation's time and limits, even if its client has disconnected. */
export function commit<T>({ engine, meter }: Operation, work: (batch: Batch) => T): Promise<T> {
  meter.client = undefined;
  return engine.writer.run(
    (batch) => within(meter, () => work(batch)),
    () => meter.left,
  );
}

/** Runs a read that may take long, with pauses. */
export const readPaced = <T>(operation: Operation, work: (reader: Reader) => Paced<T>): T | Promise<T> =>
  drive(operation.meter, readAll(operation, work));

function* readAll<T>(operation: Operation, work: (reader: Reader) => Paced<T>): Paced<T> {
  const { reader, release } = openReader(operation);
  try {
    return yield* work(reader);
  } finally {
    release();
  }
}

/**
 * Writes: in the transaction if there is one, otherwise in the next commit. A numbered write that was answered before gets the
 * same response again and is not repeated.
 */
export async function write(operation: Operation, work: (view: Writable) => Document): Promise<Document> {
  const { engine, meter, transaction, session, retryNumber } = operation;
  if (transaction !== undefined) {
    const reply = within(meter, () => work(transaction.view));
    // A rejected statement ends the transaction, although its error is inside the response.
    if (reply['writeErrors'] !== undefined || reply['nErrors'] > 0) transaction.abort();
    return reply;
  }
  return commit(operation, (batch) => {
    if (session === undefined || retryNumber === undefined) return work(batch);
    const known = engine.sessions.recall(batch, session, retryNumber);
    if (known !== undefined) return known;
    const reply = work(batch);
    engine.sessions.remember(batch, session, retryNumber, reply);
    return reply;
  });
}

/** Rejects a command that MongoDB does not run inside a transaction. */
export function refuseInTransaction(operation: Operation): void {
  if (operation.transaction !== undefined) {
    fail(
      'OperationNotSupportedInTransaction',
      `Cannot run '${operation.name}' in a multi-document transaction.`,
    );
  }
}

/** The maximum of a `maxTimeMS`, in milliseconds. */
const LONGEST_TIME = 2 ** 31 - 1;

/** A `maxTimeMS`, in milliseconds; 0 for none. Throws BadValue for anything but a 31-bit integer. */
function maxTimeOf(value: unknown): number {
  if (value === undefined || value === null) return 0;
  if (!isNumeric(value)) return fail('BadValue', 'maxTimeMS must be a number');
  const limit = toDouble(value);
  if (!Number.isInteger(limit)) fail('BadValue', 'maxTimeMS has non-integral value');
  if (limit < 0 || limit > LONGEST_TIME) fail('BadValue', `${limit} value for maxTimeMS is out of range`);
  return limit;
}

/** The Stable API version that a command requests, as a single comparable value. */
export const apiOf = ({ apiVersion, apiStrict, apiDeprecationErrors }: Document): string =>
  [apiVersion, apiStrict, apiDeprecationErrors].join();

/** What a command may use: its `maxTimeMS`, the engine's limits, and whether it may exceed them. */
export function meterOf(
  engine: Engine,
  body: Document,
  connection: Connection,
  transaction?: Transaction,
): Meter {
  const meter = new Meter(maxTimeOf(body['maxTimeMS']), engine.settings, body['allowDiskUse'] === true);
  meter.client = connection.closed;
  meter.api = apiOf(body);
  if (transaction !== undefined)
    meter.lost = () => (transaction.state === 'open' ? undefined : noSuchTransaction(transaction.number));
  return meter;
}
