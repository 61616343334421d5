import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { createYield } from '../limits/yield.js';

type Handle = (request: IncomingMessage, response: ServerResponse) => void;

/** Requests that may wait on one connection. Browsers send none before the last one is answered. */
const MAX_WAITING = 100;

/**
 * Returns a function that wraps handlers so that they handle one request of a connection at a time. A client
 * may send many at once (HTTP pipelining), and Node hands over all that it reads in the same turn of the
 * event loop, so that others would have to wait for all of them. Here each waits for the answer to the one
 * before, and of those that waited, on whichever connections, one begins per turn of the loop. `flooded` is
 * called for a connection on which more than 100 requests wait.
 */
export const oneAtATime = (flooded: (socket: Socket) => void): ((handle: Handle) => Handle) => {
  /** What waits on connections that are in use. */
  const queues = new WeakMap<Socket, (() => void)[]>();
  const nextTurn = createYield();

  const beginNext = async (socket: Socket): Promise<void> => {
    const next = queues.get(socket)?.shift();
    if (!next) queues.delete(socket);
    if (!next || socket.destroyed) return;
    await nextTurn();
    if (!socket.destroyed) next();
  };

  return (handle) => (request, response) => {
    const { socket } = request;
    // Node goes on parsing what it has read of a connection that was closed.
    if (socket.destroyed) return;
    const begin = (): void => {
      response.once('close', () => void beginNext(socket));
      handle(request, response);
    };
    const queue = queues.get(socket);
    if (!queue) {
      queues.set(socket, []);
      begin();
    } else if (queue.length < MAX_WAITING) queue.push(begin);
    else flooded(socket);
  };
};
