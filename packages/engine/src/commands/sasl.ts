import { Binary, type Document } from 'bson';
import { fail } from '../errors.js';
import { MECHANISM, ScramConversation } from '../wire/scram.js';
import type { Connection } from '../wire/server.js';
import type { Command, Operation } from './operation.js';

/** A conversation in progress on a connection. */
interface Conversation {
  readonly scram: ScramConversation;
  readonly skipsEmptyExchange: boolean;
  isProven: boolean;
}

const conversations = new WeakMap<Connection, Conversation>();
const authenticated = new WeakSet<Connection>();

const CONVERSATION_ID = 1;

const failed = (connection: Connection): never => {
  conversations.delete(connection);
  return fail('AuthenticationFailed', 'Authentication failed.');
};

function payloadOf({ body }: Operation): string {
  const { payload } = body;
  if (payload instanceof Binary)
    return Buffer.from(payload.buffer.subarray(0, payload.position)).toString('utf8');
  return payload instanceof Uint8Array ? Buffer.from(payload).toString('utf8') : '';
}

const reply = (payload: string, done: boolean): Document => ({
  conversationId: CONVERSATION_ID,
  done,
  payload: new Binary(Buffer.from(payload)),
});

/** Begins to authenticate a connection. Throws AuthenticationFailed. */
export const saslStart: Command = (operation) => {
  const { engine, connection, body } = operation;
  const { credentials } = engine;
  authenticated.delete(connection);
  if (credentials === undefined || body['mechanism'] !== MECHANISM) return failed(connection);
  const scram = new ScramConversation(credentials);
  const answer = scram.start(payloadOf(operation));
  if (answer === undefined) return failed(connection);
  const skipsEmptyExchange = body['options']?.['skipEmptyExchange'] === true;
  conversations.set(connection, { scram, skipsEmptyExchange, isProven: false });
  return reply(answer, false);
};

/** Continues with the client's proof, and then possibly an empty exchange. Throws AuthenticationFailed. */
export const saslContinue: Command = (operation) => {
  const { connection } = operation;
  const conversation = conversations.get(connection);
  if (conversation === undefined) return failed(connection);
  if (conversation.isProven) {
    conversations.delete(connection);
    return reply('', true);
  }
  const answer = conversation.scram.finish(payloadOf(operation));
  if (answer === undefined) return failed(connection);
  conversation.isProven = true;
  authenticated.add(connection);
  return reply(answer, conversation.skipsEmptyExchange);
};

/** Ends a connection's authentication. */
export function forget(connection: Connection): void {
  conversations.delete(connection);
  authenticated.delete(connection);
}

/** Whether a connection may run commands: a socket requires no authentication, a port requires the password. */
export const isAllowed = ({ credentials }: Operation['engine'], connection: Connection): boolean =>
  credentials === undefined || authenticated.has(connection);
