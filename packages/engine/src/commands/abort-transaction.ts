import { EngineError } from '../errors.js';
import { noSuchTransaction } from '../sessions/sessions.js';
import type { Command } from './operation.js';

/** Undoes the session's transaction. */
export const abortTransaction: Command = ({ engine, body, session }) => {
  const number = Number(body['txnNumber']);
  const transaction = session === undefined ? undefined : engine.sessions.known(session, number);
  if (transaction === undefined || transaction.state === 'aborted') throw noSuchTransaction(number);
  if (transaction.state !== 'open') {
    throw new EngineError('TransactionCommitted', `Transaction ${number} has been committed.`);
  }
  transaction.abort();
  return {};
};
