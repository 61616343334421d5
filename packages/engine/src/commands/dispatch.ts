import type { Binary, Document } from 'bson';
import type { Engine } from '../engine.js';
import { EngineError, fail } from '../errors.js';
import { compileFields } from '../options/read-fields.js';
import { sessionOf } from '../sessions/sessions.js';
import type { Transaction } from '../sessions/transaction.js';
import { namespaceOf, SYSTEM_VIEWS, systemViewsId } from '../storage/catalog.js';
import { bsonTypeOf, isDocument } from '../values/index.js';
import { within } from '../values/work.js';
import type { Request } from '../wire/message.js';
import type { Connection } from '../wire/server.js';
import { OWN_DATABASES, refuseSystem, refuseView } from './collections.js';
import { checkReadConcern, checkTransactionLevel, checkWriteConcern } from './concerns.js';
import type { KnownCommand } from './declaration.js';
import { SESSION } from './fields.js';
import { letValues } from './let-variables.js';
import { type Answer, apiOf, meterOf, type Operation } from './operation.js';
import { isAllowed } from './sasl.js';
import { checkApi, checkSameApi, checkStableTarget } from './stable-api.js';
import { COMMANDS } from './table.js';

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

const readSession = compileFields(SESSION, { context: 'OperationSessionInfo', lenient: true });

/** Checks the fields of a session against each other and against the command. Throws InvalidOptions and related errors. */
function checkSession(command: KnownCommand, given: Document, session: string | undefined): void {
  const body = readSession(given);
  const { txnNumber, autocommit, startTransaction } = body;
  const { name, transaction } = command;
  if (txnNumber !== undefined && session === undefined) {
    fail('InvalidOptions', 'Transaction number requires a session ID to also be specified');
  }
  if (autocommit === undefined) {
    if (startTransaction !== undefined) {
      fail('InvalidOptions', "'startTransaction' field requires 'autocommit' field to also be specified");
    }
    if (transaction === 'ends it') fail(50768, `txnNumber and autocommit are required for ${name}`);
    if (txnNumber !== undefined && command.retryable !== true) {
      fail(
        'NotARetryableWriteCommand',
        `txnNumber may only be provided for multi-document transactions and retryable write commands. autocommit:false was not provided, and ${name} is not a retryable write command.`,
      );
    }
    return;
  }
  if (txnNumber === undefined)
    fail('InvalidOptions', "'autocommit' field requires a transaction number to also be specified");
  if (autocommit !== false) fail('InvalidOptions', 'Specifying autocommit=true is not allowed.');
  if (startTransaction === false) fail('InvalidOptions', 'Specifying startTransaction=false is not allowed.');
  const notAllowed = (reason: string): never => fail('OperationNotSupportedInTransaction', reason);
  if (transaction === undefined) notAllowed(`Cannot run '${name}' in a multi-document transaction.`);
  const { $db: db } = given;
  if (command.admin !== true && OWN_DATABASES.has(String(db))) {
    notAllowed(`Cannot run command against the '${db}' database in a transaction.`);
  }
  const { onSystem } = command;
  const target = given[Object.keys(given)[0] as string];
  if (target === 'system.views' || target === 'system.profile')
    notAllowed(`Cannot run command against the '${db}.${target}' collection in a transaction.`);
  if (onSystem !== undefined && typeof target === 'string' && target.startsWith('system.'))
    fail(onSystem, `Cannot run ${name} on the system collection ${db}.${target} within a transaction.`);
  if (startTransaction === true && transaction !== 'yes') {
    notAllowed(`Cannot run '${name}' as the first operation in a multi-document transaction.`);
  }
}

/** Finds or begins a command's transaction. */
function transactionOf(
  engine: Engine,
  command: KnownCommand,
  body: Document,
  session: string | undefined,
): Transaction | undefined {
  if (body['autocommit'] !== false || session === undefined) return undefined;
  const number = Number(body['txnNumber']);
  const isFirst = body['startTransaction'] === true;
  if (!isFirst) checkSameApi(body, engine.sessions.known(session, number));
  if (command.transaction === 'ends it') return undefined;
  if (isFirst) {
    const readLevel = (body['readConcern'] as Document | undefined)?.['level'];
    return engine.sessions.begin(session, number, { readLevel, api: apiOf(body) });
  }
  const transaction = engine.sessions.find(session, number);
  if (transaction.state !== 'open') {
    throw new EngineError('TransactionCommitted', `Transaction ${number} has been committed.`);
  }
  return transaction;
}

/** Rejects a command that does not run on views, if it names one. */
function checkView(engine: Engine, command: KnownCommand, name: string, body: Document): void {
  const { $db: db = 'admin' } = body;
  if (command.views !== 'refused' || typeof body[name] !== 'string') return;
  if (body[name] === SYSTEM_VIEWS && command.writeConcern === true) refuseSystem(db, SYSTEM_VIEWS);
  if (body[name] === SYSTEM_VIEWS) return;
  const meta = engine.catalog.collections.get(namespaceOf(db, body[name]));
  if (meta !== undefined) refuseView(meta);
}

/** A command's body with the name of the collection that it identifies by UUID. Throws NamespaceNotFound. */
function named(engine: Engine, command: KnownCommand, name: string, body: Document): Document {
  const id = body[name];
  if (command.byUuid !== true || bsonTypeOf(id) !== 'binData') return body;
  const wanted = Buffer.from((id as Binary).buffer).toString('hex');
  if (wanted === systemViewsId(body['$db']).toString('hex')) return { ...body, [name]: SYSTEM_VIEWS };
  for (const meta of engine.catalog.collections.values()) {
    if (meta.db === body['$db'] && Buffer.from(meta.uuid).toString('hex') === wanted)
      return { ...body, [name]: meta.name };
  }
  return fail('NamespaceNotFound', `Unable to resolve ${wanted}`);
}

function makeOperation(
  engine: Engine,
  command: KnownCommand,
  { body: asked, sequences }: Request,
  connection: Connection,
): Operation {
  const name = Object.keys(asked)[0] as string;
  const given = named(engine, command, name, asked);
  const session = sessionOf(given);
  if (session !== undefined) engine.sessions.note(session);
  checkSession(command, given, session);
  checkStableTarget(command, given);
  const read = command.read(given, {
    apiStrict: given['apiStrict'] === true,
    version: engine.settings.version,
  });
  const body = isDocument(read['let']) ? { ...read, let: letValues(read['let']) } : read;
  const db = (body['$db'] as string | undefined) ?? 'admin';
  checkApi(command, body);
  if (command.admin === true && db !== 'admin') {
    fail('Unauthorized', `${name} may only be run against the admin database.`);
  }
  checkReadConcern(command, body, body['autocommit'] === false && body['startTransaction'] !== true);
  const writeConcernError = checkWriteConcern(command, body);
  checkView(engine, command, name, body);
  const transaction = transactionOf(engine, command, body, session);
  const numbered = transaction === undefined && command.retryable === true && body['txnNumber'] !== undefined;
  if (numbered && session !== undefined && engine.sessions.known(session, Number(body['txnNumber'])))
    fail('IncompleteTransactionHistory', 'Cannot retry a retryable write that was part of a transaction');
  return {
    engine,
    connection,
    command: command.name,
    name,
    body,
    db,
    sequences,
    session,
    transaction,
    retryNumber: numbered ? Number(body['txnNumber']) : undefined,
    meter: meterOf(engine, body, connection, transaction),
    writeConcernError,
  };
}

/** Rejects writes to a capped collection in a transaction. */
function checkCapped({ engine, transaction, body, name, db }: Operation, command: KnownCommand): void {
  if (transaction === undefined || command.retryable !== true) return;
  const target = `${db}.${body[name]}`;
  if (engine.catalog.collections.get(namespaceOf(db, String(body[name])))?.options['capped'] === true)
    fail(
      'OperationNotSupportedInTransaction',
      `Collection '${target}' is a capped collection. Writes in transactions are not allowed on capped collections.`,
    );
}

/** A command that fails inside a transaction aborts it, as in MongoDB. */
function failTransaction(operation: Operation | undefined, error: unknown): unknown {
  operation?.transaction?.abort();
  return error;
}

/** Whether the client does not want to know the outcome of a command that may be unacknowledged. */
function isUnasked({ body }: Operation): boolean {
  const { w, j } = (body['writeConcern'] as Document | undefined) ?? {};
  return w !== undefined && Number(w) === 0 && !j;
}

function finished(answer: Answer, operation: Operation, { silent }: KnownCommand): Answer {
  if (Buffer.isBuffer(answer)) return answer;
  const { writeConcernError } = operation;
  const whole =
    silent === true && isUnasked(operation) ? { ok: 1 } : 'ok' in answer ? answer : { ...answer, ok: 1 };
  return writeConcernError === undefined ? whole : { ...whole, writeConcernError };
}

/** Handles a request: runs its command and turns errors into MongoDB's error response. Never throws. */
export function dispatch(engine: Engine, request: Request, connection: Connection): Answer | Promise<Answer> {
  let operation: Operation | undefined;
  try {
    if (request.error !== undefined) throw request.error;
    const name = Object.keys(request.body)[0] ?? '';
    const command = COMMANDS.get(name);
    if (command === undefined) throw new EngineError('CommandNotFound', `no such command: '${name}'`);
    if (command.open !== true && !isAllowed(engine, connection)) {
      throw new EngineError('Unauthorized', `command ${name} requires authentication`);
    }
    operation = makeOperation(engine, command, request, connection);
    const run = operation;
    checkTransactionLevel(command, run.transaction);
    checkCapped(run, command);
    const answer = within(run.meter, () => command.run(run));
    if (!(answer instanceof Promise)) return finished(answer, run, command);
    return engine.running
      .during(run, answer)
      .then((done) => finished(done, run, command))
      .catch((error) => errorAnswer(failTransaction(operation, error)));
  } catch (error) {
    return errorAnswer(failTransaction(operation, error));
  }
}
