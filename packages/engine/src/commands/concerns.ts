import type { Document } from 'bson';
import { ERROR_CODES, fail } from '../errors.js';
import { compileFields } from '../options/read-fields.js';
import type { Transaction } from '../sessions/transaction.js';
import { isNumeric } from '../values/index.js';
import { toDouble } from '../values/numbers.js';
import type { KnownCommand } from './declaration.js';

const READ_LEVELS = ['local', 'majority', 'linearizable', 'available', 'snapshot'];
const TRANSACTION_LEVELS = ['local', 'majority', 'snapshot'];
/** The maximum number of members in a replica set. */
const MOST_MEMBERS = 50;

const unknownReadOption = (name: string): never =>
  fail('InvalidOptions', `Unrecognized option in readConcern: ${name}`);

const readReadConcern = compileFields(
  {
    level: { type: 'string', mismatch: 'FailedToParse' },
    afterClusterTime: 'timestamp',
    atClusterTime: 'timestamp',
    afterOpTime: 'object',
    provenance: 'string',
    allowTransactionTableSnapshot: 'bool',
  },
  { context: 'readConcern', unknown: unknownReadOption },
);

const readWriteConcern = compileFields(
  {
    w: 'any',
    j: 'boolean or number',
    fsync: 'boolean or number',
    wtimeout: 'long',
    wElectionId: 'any',
    wOpTime: 'any',
    getLastError: 'any',
    provenance: 'string',
  },
  { context: 'WriteConcern' },
);

/** Checks a command's read concern against what the command and the transaction allow. Throws InvalidOptions or FailedToParse. */
export function checkReadConcern(command: KnownCommand, body: Document, isLater: boolean): void {
  const given = body['readConcern'] as Document | undefined;
  if (given === undefined) return;
  const { level, afterClusterTime, atClusterTime } = readReadConcern(given);
  if (level !== undefined && !READ_LEVELS.includes(level)) {
    fail('FailedToParse', `'readConcern.level' must be one of ${READ_LEVELS.join(', ')}`);
  }
  if (atClusterTime !== undefined && level !== 'snapshot') {
    fail('InvalidOptions', "'atClusterTime' field can be set only if 'level' is equal to 'snapshot'");
  }
  if (afterClusterTime !== undefined && level === 'linearizable') {
    fail(
      'InvalidOptions',
      "'afterClusterTime' field can be set only if 'level' is 'local', 'majority' or 'snapshot'",
    );
  }
  if (isLater) fail('InvalidOptions', 'Only the first command in a transaction may specify a readConcern');
  if (body['autocommit'] === false) {
    if (level === undefined || TRANSACTION_LEVELS.includes(level)) return;
    fail(
      'InvalidOptions',
      "The readConcern level must be either 'local' (default), 'majority' or 'snapshot' in order to run in a transaction",
    );
  }
  const isPlain = level === undefined || level === 'local';
  if (!isPlain && command.readConcern !== true) {
    fail(
      'InvalidOptions',
      `Command ${command.name} does not support { readConcern: { level: "${level}" } }: read concern not supported`,
    );
  }
}

/**
 * Checks a command's write concern. Returns the `writeConcernError` for one that a replica set with one member cannot satisfy:
 * the write is done, but reported as not acknowledged as requested. Throws FailedToParse and InvalidOptions.
 */
export function checkWriteConcern(command: KnownCommand, body: Document): Document | undefined {
  const given = body['writeConcern'] as Document | undefined;
  if (given === undefined) return undefined;
  const inTransaction = body['autocommit'] === false && command.transaction !== 'ends it';
  if (inTransaction) {
    fail('InvalidOptions', 'writeConcern is not allowed within a multi-statement transaction');
  }
  if (command.fields !== undefined && command.writeConcern !== true) {
    fail('InvalidOptions', 'Command does not support writeConcern');
  }
  const { w } = readWriteConcern(given);
  if (w === undefined || w === 'majority') return undefined;
  if (typeof w === 'string')
    return unmet(
      'UnknownReplWriteConcern',
      `No write concern mode named '${w}' found in replica set configuration`,
    );
  if (!isNumeric(w)) return fail('FailedToParse', 'w has to be a number or string');
  const members = toDouble(w);
  if (members < 0 || members > MOST_MEMBERS) {
    return fail('FailedToParse', 'w has to be a non-negative number and not greater than 50');
  }
  return members > 1 ? unmet('UnsatisfiableWriteConcern', 'Not enough data-bearing nodes') : undefined;
}

const unmet = (codeName: keyof typeof ERROR_CODES, errmsg: string): Document => ({
  code: ERROR_CODES[codeName],
  codeName,
  errmsg,
  errInfo: {},
});

/** Rejects what reads the latest state, but only in a transaction that reads a snapshot. Throws InvalidOptions. */
export function checkTransactionLevel(command: KnownCommand, transaction: Transaction | undefined): void {
  const level = transaction?.terms.readLevel ?? 'local';
  if (command.localOnly !== true || level === 'local') return;
  fail('InvalidOptions', `Command ${command.name} does not support read concern ${level} in a transaction`);
}
