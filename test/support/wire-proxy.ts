/** A proxy between a client and a MongoDB server that delays messages, answers them itself, changes answers or cuts connections. */
import { connect, createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { deserialize, serialize } from 'bson';

/**
 * Asked for each message of a client: milliseconds to wait before it goes on, where to cut its connection, an answer, or what is made
 * of the server's.
 */
export type Meddle = (message: Buffer) => Meddling | Promise<Meddling>;
export type Meddling = number | Cut | Answer | ((answer: Answer) => Answer);
/** Half closed: the server gets the message, and the client no answer, since its connection ends in one direction first. */
export type Cut = 'cut before' | 'cut after' | 'half close';
export type Answer = Readonly<Record<string, unknown>>;

export interface WireProxy {
  /** Where it listens, for one server: no discovery of others. */
  readonly uri: string;
  /** What is done from now on. */
  meddle: Meddle;
  /** Ends all connections, as a server that dies does. */
  cutAll(): void;
  close(): Promise<void>;
}

/** `uri`: a server, whose first address is used. */
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
    // One connection carries one command at a time, so the next answer is that of the last message.
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

/** Host and options of an address; a direct connection takes no name of a replica set. */
function addressOf(uri: string): { host: string; options: string } {
  const [, host = '', query = ''] = /^mongodb:\/\/([^/,]+)[^/]*\/?[^?]*(?:\?(.*))?$/.exec(uri) ?? [];
  const kept = query
    .split('&')
    .filter((part) => part !== '' && !/^(replicaSet|directConnection)=/i.test(part));
  return { host, options: kept.map((part) => `&${part}`).join('') };
}

/** Whole messages, each behind its length in four bytes. */
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

/** The document of a message (OP_MSG) that begins with it. */
export const bodyOf = (message: Buffer): Answer =>
  deserialize(message.subarray(HEADER + 5, HEADER + 5 + message.readInt32LE(HEADER + 5)));

/** A message that answers the one of this number. */
function replyTo(request: number, answer: Answer): Buffer {
  const body = serialize(answer);
  const head = Buffer.alloc(HEADER + 5);
  head.writeInt32LE(head.length + body.length, 0);
  head.writeInt32LE(request, 8);
  head.writeInt32LE(OP_MSG, 12);
  return Buffer.concat([head, body]);
}

/** The command that a message holds, by the name of its first element; null for anything else. */
export function commandOf(message: Buffer): string | null {
  if (message.length < 26 || message.readInt32LE(12) !== OP_MSG || message[20] !== 0) return null;
  const end = message.indexOf(0, 26);
  return message.toString('utf8', 26, end);
}
