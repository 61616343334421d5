import { type Binary, type Document, UUID } from 'bson';
import { SESSION_MINUTES } from '../sessions/sessions.js';
import type { Declaration } from './declaration.js';
import type { Command } from './operation.js';

const ids = (value: unknown): string[] =>
  (Array.isArray(value) ? value : []).flatMap((entry: Document) => {
    const id = entry['id'] as Binary | undefined;
    return id?.buffer === undefined ? [] : [Buffer.from(id.buffer).toString('hex')];
  });

const endSessions: Command = ({ engine, body, name }) => {
  for (const session of ids(body[name])) engine.sessions.end(session);
  return {};
};

const startSession: Command = ({ engine }) => {
  const id = new UUID();
  engine.sessions.note(Buffer.from(id.buffer).toString('hex'));
  return { id: { id: id.toBinary() }, timeoutMinutes: SESSION_MINUTES };
};

/** Sessions are created by their first use; these commands end or refresh them. */
export const SESSION_COMMANDS: Readonly<Record<string, Declaration>> = {
  startSession: { run: startSession },
  endSessions: { run: endSessions, stable: true },
  killSessions: { run: endSessions },
  killAllSessions: { run: () => ({}) },
  refreshSessions: { run: () => ({}), stable: true },
};
