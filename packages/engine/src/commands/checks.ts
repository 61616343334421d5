import type { Document } from 'bson';
import type { Engine } from '../engine.js';
import { type ErrorName, fail } from '../errors.js';
import { compileFields } from '../options/read-fields.js';
import type { Transaction } from '../sessions/transaction.js';
import { namespaceOf, SYSTEM_VIEWS } from '../storage/catalog.js';
import { OWN_DATABASES, refuseSystem, refuseView } from './collections.js';
import { checkReadConcern, checkTransactionLevel } from './concerns.js';
import type { KnownCommand } from './declaration.js';
import { SESSION } from './fields.js';
import { checkApi, checkStableTarget } from './stable-api.js';

/** A command that a client has sent, as far as it is known when it is checked. */
export interface Asked {
  readonly engine: Engine;
  readonly command: KnownCommand;
  /** The command's name as the client wrote it. */
  readonly name: string;
  readonly body: Document;
  readonly db: string;
  readonly session: string | undefined;
}

/** A command within its transaction, if it has one. */
export interface Placed extends Asked {
  readonly transaction: Transaction | undefined;
  /** It is a retryable write with a number of its own. */
  readonly numbered: boolean;
}

type Check<A> = (asked: A) => void;

/** What a command may not ask for: a condition, and the error if it holds. */
type Rule = readonly [
  broken: (asked: Asked) => boolean,
  code: ErrorName | number,
  says: string | ((asked: Asked) => string),
];

const targetOf = ({ body, name }: Asked): unknown => body[name];
const inTransaction = ({ name }: Asked): string => `Cannot run '${name}' in a multi-document transaction.`;

/** What the fields of a session require outside transactions. */
const OUTSIDE: readonly Rule[] = [
  [
    ({ body }) => body['startTransaction'] !== undefined,
    'InvalidOptions',
    "'startTransaction' field requires 'autocommit' field to also be specified",
  ],
  [
    ({ command }) => command.transaction === 'ends it',
    50768,
    ({ command }) => `txnNumber and autocommit are required for ${command.name}`,
  ],
  [
    ({ body, command }) => body['txnNumber'] !== undefined && command.retryable !== true,
    'NotARetryableWriteCommand',
    ({ command: { name } }) =>
      `txnNumber may only be provided for multi-document transactions and retryable write commands. autocommit:false was not provided, and ${name} is not a retryable write command.`,
  ],
];

/** The same in a transaction. */
const INSIDE: readonly Rule[] = [
  [
    ({ body }) => body['txnNumber'] === undefined,
    'InvalidOptions',
    "'autocommit' field requires a transaction number to also be specified",
  ],
  [
    ({ body }) => body['autocommit'] !== false,
    'InvalidOptions',
    'Specifying autocommit=true is not allowed.',
  ],
  [
    ({ body }) => body['startTransaction'] === false,
    'InvalidOptions',
    'Specifying startTransaction=false is not allowed.',
  ],
  [({ command }) => command.transaction === undefined, 'OperationNotSupportedInTransaction', inTransaction],
  [
    ({ command, db }) => command.admin !== true && OWN_DATABASES.has(db),
    'OperationNotSupportedInTransaction',
    ({ db }) => `Cannot run command against the '${db}' database in a transaction.`,
  ],
  [
    (asked) => ['system.views', 'system.profile'].includes(String(targetOf(asked))),
    'OperationNotSupportedInTransaction',
    (asked) => `Cannot run command against the '${asked.db}.${targetOf(asked)}' collection in a transaction.`,
  ],
  [
    ({ body, command }) => body['startTransaction'] === true && command.transaction !== 'yes',
    'OperationNotSupportedInTransaction',
    ({ name }) => `Cannot run '${name}' as the first operation in a multi-document transaction.`,
  ],
];

function follow(rules: readonly Rule[], asked: Asked): void {
  for (const [broken, code, says] of rules)
    if (broken(asked)) fail(code, typeof says === 'string' ? says : says(asked));
}

const readSession = compileFields(SESSION, { context: 'OperationSessionInfo', lenient: true });

function checkSession(given: Asked): void {
  const asked = { ...given, body: readSession(given.body) };
  const { body, session, command, db } = asked;
  if (body['txnNumber'] !== undefined && session === undefined)
    fail('InvalidOptions', 'Transaction number requires a session ID to also be specified');
  follow(body['autocommit'] === undefined ? OUTSIDE : INSIDE, asked);
  const target = targetOf(asked);
  const isInside = body['autocommit'] !== undefined;
  if (isInside && command.onSystem !== undefined && String(target).startsWith('system.'))
    fail(
      command.onSystem,
      `Cannot run ${command.name} on the system collection ${db}.${target} within a transaction.`,
    );
}

function checkDatabase({ command, name, db }: Asked): void {
  if (command.admin === true && db !== 'admin')
    fail('Unauthorized', `${name} may only be run against the admin database.`);
}

const checkConcern: Check<Asked> = ({ command, body }) =>
  checkReadConcern(command, body, body['autocommit'] === false && body['startTransaction'] !== true);

/** Rejects a command that does not run on views, if it names one. */
function checkView(asked: Asked): void {
  const { engine, command, db } = asked;
  const target = targetOf(asked);
  if (command.views !== 'refused' || typeof target !== 'string') return;
  if (target === SYSTEM_VIEWS) {
    if (command.writeConcern === true) refuseSystem(db, SYSTEM_VIEWS);
    return;
  }
  const meta = engine.catalog.collections.get(namespaceOf(db, target));
  if (meta !== undefined) refuseView(meta);
}

function checkHistory({ engine, numbered, session, body }: Placed): void {
  if (numbered && session !== undefined && engine.sessions.known(session, Number(body['txnNumber'])))
    fail('IncompleteTransactionHistory', 'Cannot retry a retryable write that was part of a transaction');
}

/** Rejects writes to a capped collection in a transaction. */
function checkCapped({ engine, transaction, command, body, name, db }: Placed): void {
  if (transaction === undefined || command.retryable !== true) return;
  const target = namespaceOf(db, String(body[name]));
  if (engine.catalog.collections.get(target)?.options['capped'] === true)
    fail(
      'OperationNotSupportedInTransaction',
      `Collection '${target}' is a capped collection. Writes in transactions are not allowed on capped collections.`,
    );
}

/** The checks of a command as it was sent, in their order. */
export const OF_SENT: readonly Check<Asked>[] = [
  checkSession,
  ({ command, body }) => checkStableTarget(command, body),
];

/** The checks of a command whose fields have been read. */
export const OF_READ: readonly Check<Asked>[] = [
  ({ command, body }) => checkApi(command, body),
  checkDatabase,
  checkConcern,
];

/** The checks of what a command names. */
export const OF_TARGET: readonly Check<Asked>[] = [checkView];

/** The checks of a command whose transaction is known. */
export const OF_PLACED: readonly Check<Placed>[] = [
  checkHistory,
  ({ command, transaction }) => checkTransactionLevel(command, transaction),
  checkCapped,
];

/** Runs checks, of which the first that fails throws. */
export function runChecks<A>(checks: readonly Check<A>[], asked: A): void {
  for (const check of checks) check(asked);
}
