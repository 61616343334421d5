/** A proxy between a client and a MongoDB server that delays messages, answers them itself, changes answers or cuts connections. */
import { connect, createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { deserialize, Long, ObjectId, serialize } from 'bson';

/**
 * Called for each message of a client; returns milliseconds of delay, where to cut its connection, a reply, or what to
 * turn the server's reply into.
 */
export type Meddle = (message: Buffer) => Meddling | Promise<Meddling>;
export type Meddling = number | Cut | Answer | ((answer: Answer) => Answer);
/**
 * Half closed: the server gets the message, but the client no reply, since its connection closes in one direction
 * first.
 */
export type Cut = 'cut before' | 'cut after' | 'half close';
export type Answer = Readonly<Record<string, unknown>>;

export interface WireProxy {
  /** The URI of the proxy, for one server: without discovery of others. */
  readonly uri: string;
  /** What is done from now on. */
  meddle: Meddle;
  /** Closes all connections, as a dying server does. */
  cutAll(): void;
  close(): Promise<void>;
}

/** `uri`: a server, of which the first address is used. */
export async function startProxy(uri: string, meddle: Meddle = () => 0): Promise<WireProxy> {
  const { host, options } = addressOf(uri);
  const [name = '127.0.0.1', port = '27017'] = host.split(':');
  const socketPath = decodeURIComponent(host);
  const open = new Set<Socket>();
  const proxy = { meddle };
  const server = createServer((client) => {
    const upstream = socketPath.startsWith('/') ? connect(socketPath) : connect(Number(port), name);
    for (const socket of [client, upstream]) {
      socket.setNoDelay(true);
      open.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        open.delete(socket);
        client.destroy();
        upstream.destroy();
      });
    }
    let cutNext = false;
    let change: ((answer: Answer) => Answer) | null = null;
    let queue = Promise.resolve();
    eachMessage(client, (message) => {
      queue = queue.then(async () => {
        const what = await proxy.meddle(message);
        if (what === 'cut before') return void client.destroy();
        if (what === 'half close') client.end();
        else if (what === 'cut after') cutNext = true;
        else if (typeof what === 'function') change = what;
        else if (typeof what === 'object') return void client.write(replyTo(message.readInt32LE(4), what));
        else if (what > 0) await sleep(what);
        upstream.write(message);
      });
    });
    // A connection carries one command at a time, so the next reply belongs to the last message.
    eachMessage(upstream, (reply) => {
      if (cutNext) return void client.destroy();
      const answer = change?.(bodyOf(reply));
      change = null;
      if (client.writable) client.write(answer ? replyTo(reply.readInt32LE(8), answer) : reply);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const own = typeof address === 'object' && address !== null ? address.port : 0;
  return Object.assign(proxy, {
    uri: `mongodb://127.0.0.1:${own}/?directConnection=true${options}`,
    cutAll: () => {
      for (const socket of open) socket.destroy();
    },
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        for (const socket of open) socket.destroy();
      }),
  });
}

/** Host and options of a URI; a direct connection does not accept the name of a replica set. */
function addressOf(uri: string): { host: string; options: string } {
  const [, host = '', query = ''] = /^mongodb:\/\/([^/,]+)[^/]*\/?[^?]*(?:\?(.*))?$/.exec(uri) ?? [];
  const kept = query
    .split('&')
    .filter((part) => part !== '' && !/^(replicaSet|directConnection)=/i.test(part));
  return { host, options: kept.map((part) => `&${part}`).join('') };
}

/** Whole messages, each preceded by its length in four bytes. */
function eachMessage(socket: Socket, take: (message: Buffer) => void): void {
  let rest = Buffer.alloc(0);
  socket.on('data', (data: Buffer) => {
    rest = Buffer.concat([rest, data]);
    while (rest.length >= 4 && rest.length >= rest.readInt32LE(0)) {
      const length = rest.readInt32LE(0);
      take(Buffer.from(rest.subarray(0, length)));
      rest = rest.subarray(length);
    }
  });
}

const HEADER = 16;
const OP_MSG = 2013;

/** The document of a message (OP_MSG) that starts with it. */
export const bodyOf = (message: Buffer): Answer =>
  deserialize(message.subarray(HEADER + 5, HEADER + 5 + message.readInt32LE(HEADER + 5)));

/** A message that replies to the one with this number. */
function replyTo(request: number, answer: Answer): Buffer {
  const body = serialize(answer);
  const head = Buffer.alloc(HEADER + 5);
  head.writeInt32LE(head.length + body.length, 0);
  head.writeInt32LE(request, 8);
  head.writeInt32LE(OP_MSG, 12);
  return Buffer.concat([head, body]);
}

const process = new ObjectId();
let changes = 0;

/** What MongoDB adds to an error that says that it is no longer the primary, or is shutting down. */
export const newTopologyVersion = (): Answer => ({
  processId: process,
  counter: Long.fromNumber(++changes),
});

/** The command in a message, by the name of its first element; null for any other message. */
export function commandOf(message: Buffer): string | null {
  if (message.length < 26 || message.readInt32LE(12) !== OP_MSG || message[20] !== 0) return null;
  const end = message.indexOf(0, 26);
  return message.toString('utf8', 26, end);
}
