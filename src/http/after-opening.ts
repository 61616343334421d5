import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { callerOf } from '../limits/caller-of.js';
import { createGate } from '../limits/gate.js';

/**
 * Milliseconds that connections are accepted at most before one more request begins: while some are opened all the
 * time, a client waits so long for each other one.
 */
const LONGEST = 5;

/**
 * Node accepts one connection per turn of the event loop, in the order in which they were opened, so a client
 * would wait for the work of all requests on connections that were opened before its own. Here the first
 * request of a connection waits while others are being accepted, for which turns are short without it. Then one
 * begins per turn, of each client in turn. Returns a function that a request awaits; null if it need not wait.
 */
export const afterOpening = (
  server: Server,
  longest = LONGEST,
): ((socket: Socket) => Promise<void> | null) => {
  const turns = createGate({ atOnce: 1, maxWaiting: Number.POSITIVE_INFINITY });
  const unused = new WeakSet<Socket>();
  let accepted = false;
  const untilNoneIsAccepted = async (leave: () => void): Promise<void> => {
    const end = performance.now() + longest;
    do {
      accepted = false;
      await nextTurn();
    } while (accepted && performance.now() < end);
    leave();
  };
  server.on('connection', (socket) => {
    accepted = true;
    unused.add(socket);
    const leave = turns.enterNow();
    if (leave) void untilNoneIsAccepted(leave);
  });
  return (socket) => {
    if (!unused.delete(socket) || turns.idle) return null;
    const client = callerOf(socket.remoteAddress ?? '');
    return turns.enter({ client }).then((leave) => void untilNoneIsAccepted(leave));
  };
};
