import type { Document } from 'bson';
import type { Engine } from '../engine.js';
import { EngineError } from '../errors.js';
import { sessionOf } from '../sessions/sessions.js';
import type { Transaction } from '../sessions/transaction.js';
import { within } from '../values/work.js';
import type { Request } from '../wire/message.js';
import type { Connection } from '../wire/server.js';
import { type Answer, meterOf, type Operation } from './operation.js';
import { COMMANDS } from './table.js';

const CONTROL = new Set(['commitTransaction', 'abortTransaction']);
const RETRYABLE = new Set(['insert', 'update', 'delete', 'findAndModify', 'findandmodify', 'bulkWrite']);

function errorAnswer(error: unknown): Document {
  const known =
    error instanceof EngineError
      ? error
      : new EngineError('InternalError', String((error as Error)?.stack ?? error));
  const labels = known.labels.length > 0 ? { errorLabels: known.labels } : {};
  return {
    ok: 0,
    errmsg: known.message,
    code: known.code,
    codeName: known.codeName,
    ...known.details,
    ...labels,
  };
}

/** Finds or begins the transaction that a command belongs to. */
function transactionOf(
  engine: Engine,
  body: Document,
  name: string,
  session: string | undefined,
): Transaction | undefined {
  if (body['autocommit'] !== false || CONTROL.has(name)) return undefined;
  if (session === undefined || body['txnNumber'] === undefined) {
    throw new EngineError('InvalidOptions', "'autocommit' field requires a transaction number and a session");
  }
  const number = Number(body['txnNumber']);
  if (body['startTransaction'] === true) return engine.sessions.begin(session, number);
  const transaction = engine.sessions.find(session, number);
  if (transaction.state !== 'open') {
    throw new EngineError('TransactionCommitted', `Transaction ${number} has been committed.`);
  }
  return transaction;
}

function makeOperation(engine: Engine, request: Request, connection: Connection): Operation {
  const { body, sequences } = request;
  const name = Object.keys(body)[0] ?? '';
  const session = sessionOf(body);
  const transaction = transactionOf(engine, body, name, session);
  const numbered = transaction === undefined && body['txnNumber'] !== undefined && RETRYABLE.has(name);
  return {
    engine,
    connection,
    name,
    body,
    db: String(body['$db'] ?? 'admin'),
    sequences,
    session,
    transaction,
    retryNumber: numbered ? Number(body['txnNumber']) : undefined,
    meter: meterOf(engine, body),
  };
}

/** A command that fails inside a transaction ends it, as in MongoDB. */
function failTransaction(operation: Operation | undefined, error: unknown): unknown {
  const { transaction } = operation ?? {};
  if (transaction === undefined) return error;
  transaction.abort();
  return error;
}

const finished = (answer: Answer): Answer =>
  Buffer.isBuffer(answer) || 'ok' in answer ? answer : { ...answer, ok: 1 };

/** Answers a request: runs its command and turns what it throws into MongoDB's error answer. Never throws. */
export function dispatch(engine: Engine, request: Request, connection: Connection): Answer | Promise<Answer> {
  let operation: Operation | undefined;
  try {
    const name = Object.keys(request.body)[0] ?? '';
    const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
    if (command === undefined) throw new EngineError('CommandNotFound', `no such command: '${name}'`);
    operation = makeOperation(engine, request, connection);
    const run = command.bind(undefined, operation);
    const answer = within(operation.meter, run);
    if (!(answer instanceof Promise)) return finished(answer);
    return answer.then(finished).catch((error) => errorAnswer(failTransaction(operation, error)));
  } catch (error) {
    return errorAnswer(failTransaction(operation, error));
  }
}
