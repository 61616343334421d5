import http from 'node:http';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { serve } from '../child.js';
import type { Shot } from './attack.js';
import { attacks } from './attacks.js';

/** Fires the shots of one attack until it is stopped, each as soon as the last one ended. */
const [base = '', name = '', size = '0'] = process.argv.slice(2);
const attack = attacks.find((one) => one.name === name);
const agent = new http.Agent({ keepAlive: true });
const answers = new Map<string, number>();

/** Milliseconds that a connection is held by one who neither reads nor sends. */
const HELD_MS = 15_000;

const fire = ({ method, path, headers, body, from, ending }: Shot): Promise<string> =>
  new Promise((resolve) => {
    const own = ending !== undefined || from !== undefined;
    const length = Buffer.byteLength(body ?? '') * (ending === 'stall' ? 2 : 1);
    const request = http.request(new URL(path, base), {
      method,
      agent: own ? false : agent,
      headers: { ...headers, ...(body === undefined ? {} : { 'content-length': String(length) }) },
      ...(from !== undefined && { localAddress: from }),
    });
    const end = (how: string): void => {
      if (ending !== undefined) request.destroy();
      resolve(how);
    };
    request.on('error', (error) => end('code' in error ? String(error.code) : error.message));
    request.on('response', (response) => {
      if (ending === 'leave') return;
      response.resume();
      response.once('end', () => end(String(response.statusCode)));
      response.once('error', () => end('broken off'));
    });
    if (typeof ending === 'object') setTimeout(end, ending.hangUpAfterMs, 'hung up');
    if (ending === 'leave' || ending === 'stall') setTimeout(end, HELD_MS, 'held');
    request.write(body ?? '');
    if (ending !== 'stall') request.end();
  });

/** Milliseconds before a connection that was refused is tried again. */
const PAUSE_MS = 20;

/** Keeps so many requests waiting on a connection until it is closed. */
const pipeline = ({ method, path }: Shot, pipelined: number): Promise<string> =>
  new Promise((resolve) => {
    const { hostname, port } = new URL(base);
    const text = `${method} ${path} HTTP/1.1\r\nHost: a\r\n\r\n`;
    const socket = connect(Number(port), hostname, () => void socket.write(text.repeat(pipelined)));
    let answered = 0;
    socket.on('data', (chunk) => {
      const more = chunk.toString('latin1').split('HTTP/1.1 ').length - 1;
      answered += more;
      socket.write(text.repeat(more));
    });
    socket.on('error', () => undefined);
    socket.once('close', () => void sleep(PAUSE_MS, answered > 0 ? 'closed later' : 'closed').then(resolve));
  });

let n = 0;
const worker = async ({ shot }: NonNullable<typeof attack>): Promise<void> => {
  for (;;) {
    const next = shot(n++, Number(size));
    const how = await (next.pipelined === undefined ? fire(next) : pipeline(next, next.pipelined));
    answers.set(how, (answers.get(how) ?? 0) + 1);
  }
};

if (attack) for (let i = 0; i < attack.connections; i++) void worker(attack);
process.once('SIGTERM', () => {
  const most = [...answers].sort(([, a], [, b]) => b - a);
  process.stdout.write(`    ${most.map(([how, times]) => `${times} × ${how}`).join(', ') || 'no answer'}\n`);
  process.exit(0);
});
serve('');
