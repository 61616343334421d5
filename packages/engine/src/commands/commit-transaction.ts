import { EngineError } from '../errors.js';
import { noSuchTransaction } from '../sessions/sessions.js';
import { type Command, read } from './operation.js';

/** Commits the session's transaction. Repeating it after a lost response, even after a restart, gives the same response. */
export const commitTransaction: Command = async (operation) => {
  const { engine, body, session } = operation;
  if (session === undefined || body['txnNumber'] === undefined) {
    throw new EngineError('InvalidOptions', 'commitTransaction requires a session and a transaction number');
  }
  const number = Number(body['txnNumber']);
  const transaction = engine.sessions.known(session, number);
  if (transaction === undefined) {
    const last = read(operation, (reader) => engine.sessions.recall(reader, session, number));
    if (last?.['committed'] === true) return {};
    throw noSuchTransaction(number);
  }
  if (transaction.state === 'committed') return {};
  if (transaction.state !== 'open') throw noSuchTransaction(number);
  if (transaction.view.hasWrites) {
    await transaction.commit();
  } else {
    transaction.commitNothing();
  }
  return {};
};
