import type { Server, Socket } from 'node:net';
import { callerOf } from '../limits/caller-of.js';
import { memberOf } from '../values/once-per.js';

/** Milliseconds for which an address cannot connect. */
const SHUT_OUT_MS = 10_000;

const clientOf = ({ remoteAddress }: Socket): string => callerOf(remoteAddress ?? '');

/**
 * Returns a function that closes the connections of one client's address and refuses new ones for a while.
 * Node parses all that it has read of a connection, even of one that was closed, so a client that could
 * connect again at once would keep it busy.
 */
export const shutOutOf = (server: Server, ms: number = SHUT_OUT_MS): ((socket: Socket) => void) => {
  const connected = new Map<string, Set<Socket>>();
  const shutOut = new Set<string>();
  server.on('connection', (socket: Socket) => {
    const client = clientOf(socket);
    if (shutOut.has(client)) {
      socket.destroy();
      return;
    }
    const sockets = memberOf(connected, client, () => new Set<Socket>());
    sockets.add(socket);
    socket.once('close', () => {
      sockets.delete(socket);
      if (sockets.size === 0) connected.delete(client);
    });
  });
  return (socket) => {
    const client = clientOf(socket);
    shutOut.add(client);
    setTimeout(() => shutOut.delete(client), ms).unref();
    for (const one of connected.get(client) ?? []) one.destroy();
  };
};
