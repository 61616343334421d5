import type { Binary, Document } from 'bson';
import type { Command } from './operation.js';
import type { Declaration } from './table.js';

const ids = (value: unknown): string[] =>
  (Array.isArray(value) ? value : []).flatMap((entry: Document) => {
    const id = entry['id'] as Binary | undefined;
    return id?.buffer === undefined ? [] : [Buffer.from(id.buffer).toString('hex')];
  });

const endSessions: Command = ({ engine, body, name }) => {
  for (const session of ids(body[name])) engine.sessions.end(session);
  return {};
};

/** Sessions come into being with their first use; these commands end or refresh them. */
export const SESSION_COMMANDS: Readonly<Record<string, Declaration>> = {
  endSessions: { run: endSessions, stable: true },
  killSessions: { run: endSessions },
  killAllSessions: { run: () => ({}) },
  refreshSessions: { run: () => ({}), stable: true },
};
