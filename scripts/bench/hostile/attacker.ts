import http from 'node:http';
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

let n = 0;
const worker = async ({ shot }: NonNullable<typeof attack>): Promise<void> => {
  for (;;) {
    const how = await fire(shot(n++, Number(size)));
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
