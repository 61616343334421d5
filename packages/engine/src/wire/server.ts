import { chmodSync, rmSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import type { Document } from 'bson';
import { Frames } from './frames.js';
import { type Request, readMessage, writeMessage } from './message.js';
import { giveBack } from './reply-buffers.js';

/** The state of one client connection. */
export interface Connection {
  readonly id: number;
  /** Aborted when the client disconnects. */
  readonly closed: AbortSignal;
}

/** Answers one request; the response may already be encoded. Must not reject. */
type Handle = (request: Request, connection: Connection) => Promise<Document | Buffer> | Document | Buffer;

/** Where to listen: a unix socket, or a TCP port of a loopback address. */
export type Address = { readonly socketPath: string } | { readonly host: string; readonly port: number };

/** A listening server. */
interface WireServer {
  readonly port: number;
  close(): Promise<void>;
}

let lastConnection = 0;

/** Serves one connection: requests in order, each after the response to the previous one. */
async function serveSocket(socket: Socket, handle: Handle): Promise<void> {
  const frames = new Frames();
  const gone = new AbortController();
  lastConnection += 1;
  const connection: Connection = { id: lastConnection, closed: gone.signal };
  const waiting: Buffer[] = [];
  let busy = false;

  const drain = async (): Promise<void> => {
    if (busy) return;
    busy = true;
    try {
      for (let message = waiting.shift(); message !== undefined; message = waiting.shift()) {
        for (let request = readMessage(message), more = true; more; ) {
          const pending = handle(request, connection);
          const answer = pending instanceof Promise ? await pending : pending;
          if (request.silent || socket.destroyed) break;
          more = request.exhaust && request.body['topologyVersion'] !== undefined;
          const [head, body] = writeMessage(request, answer, more);
          // Corked, small responses are sent as one packet.
          socket.cork();
          socket.write(head);
          socket.write(body, () => giveBack(body));
          socket.uncork();
          // Each further response answers the previous one.
          request = { ...request, id: head.readInt32LE(4) };
        }
      }
    } catch {
      // Not the protocol: there is no request to answer.
      socket.destroy();
    } finally {
      busy = false;
    }
  };

  socket.setNoDelay(true);
  socket.on('data', (chunk: Buffer) => {
    try {
      waiting.push(...frames.push(chunk));
    } catch {
      socket.destroy();
      return;
    }
    void drain();
  });
  socket.on('error', () => socket.destroy());
  socket.on('close', () => gone.abort());
}

function listen(server: Server, address: Address): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    const done = () => {
      server.off('error', reject);
      resolve();
    };
    if ('socketPath' in address) {
      // Ownership of the folder is already settled, so an existing file was left by a process that is gone.
      rmSync(address.socketPath, { force: true });
      server.listen(address.socketPath, done);
    } else {
      server.listen(address.port, address.host, done);
    }
  });
}

/** Starts to listen. Rejects with Node's error if the address is taken or not allowed. */
export async function startServer(address: Address, handle: Handle): Promise<WireServer> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    void serveSocket(socket, handle);
  });
  await listen(server, address);
  if ('socketPath' in address) chmodSync(address.socketPath, 0o600);
  const bound = server.address();
  return {
    port: typeof bound === 'object' && bound !== null ? bound.port : 0,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}
