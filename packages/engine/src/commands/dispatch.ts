import type { Binary, Document } from 'bson';
import type { Engine } from '../engine.js';
import { EngineError, fail } from '../errors.js';
import { sessionOf } from '../sessions/sessions.js';
import type { Transaction } from '../sessions/transaction.js';
import { SYSTEM_VIEWS, systemViewsId } from '../storage/catalog.js';
import { bsonTypeOf, isDocument } from '../values/index.js';
import { within } from '../values/work.js';
import type { Request } from '../wire/message.js';
import type { Connection } from '../wire/server.js';
import { OF_PLACED, OF_READ, OF_SENT, OF_TARGET, runChecks } from './checks.js';
import { checkWriteConcern } from './concerns.js';
import type { KnownCommand } from './declaration.js';
import { letValues } from './let-variables.js';
import { type Answer, apiOf, meterOf, type Operation } from './operation.js';
import { isAllowed } from './sasl.js';
import { checkSameApi } from './stable-api.js';
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
  const db = (given['$db'] as string | undefined) ?? 'admin';
  const sent = { engine, command, name, db, session, body: given };
  runChecks(OF_SENT, sent);
  const read = command.read(given, {
    apiStrict: given['apiStrict'] === true,
    version: engine.settings.version,
  });
  const body = isDocument(read['let']) ? { ...read, let: letValues(read['let']) } : read;
  runChecks(OF_READ, { ...sent, body });
  const writeConcernError = checkWriteConcern(command, body);
  runChecks(OF_TARGET, { ...sent, body });
  const transaction = transactionOf(engine, command, body, session);
  const numbered = transaction === undefined && command.retryable === true && body['txnNumber'] !== undefined;
  const operation = {
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
  try {
    runChecks(OF_PLACED, { ...sent, body, transaction, numbered });
  } catch (error) {
    throw failTransaction(operation, error);
  }
  return operation;
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
