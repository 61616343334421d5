import { randomInt } from 'node:crypto';

/** One request of an attacker. */
export interface Shot {
  readonly method: 'GET' | 'POST' | 'PUT';
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
  /** The client's own address; all of 127.0.0.0/8 is the machine itself on Linux. */
  readonly from?: string;
  /** What the attacker does with it: reads the answer if absent. */
  readonly ending?: Ending;
  /** Sends so many of it on a connection of its own before it reads an answer, and another one for each answer. */
  readonly pipelined?: number;
}

/** Never reads the answer, hangs up after a while, or announces more than it sends and waits. */
export type Ending = 'leave' | 'stall' | { readonly hangUpAfterMs: number };

export interface Attack {
  readonly name: string;
  /** Requests under way at the same time. */
  readonly connections: number;
  /** The n-th request, on a database with `size` restaurants. */
  shot(n: number, size: number): Shot;
  /** What the visitor requests meanwhile: `/api/restaurants` if absent. */
  readonly visited?: string;
}

export const get = (path: string): Shot => ({ method: 'GET', path: `/api${path}` });

export const post = (path: string, body: unknown): Shot => ({
  method: 'POST',
  path: `/api${path}`,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
});

/** An address that nobody has counted yet. */
export const anyAddress = (): string => `127.${randomInt(256)}.${randomInt(256)}.${randomInt(1, 255)}`;

/** The n-th of a few addresses that are counted separately. */
export const addressOf = (n: number): string => `127.1.1.${n + 1}`;

const BOUNDARY = 'hostile-boundary';

/** An upload of one file. */
export const form = (file: Buffer, name: string, type: string): Shot => {
  const head = `--${BOUNDARY}\r\nContent-Disposition: form-data; name="files"; filename="${name}"\r\nContent-Type: ${type}\r\n\r\n`;
  return {
    method: 'POST',
    path: '/api/upload',
    headers: { 'content-type': `multipart/form-data; boundary=${BOUNDARY}` },
    body: Buffer.concat([Buffer.from(head), file, Buffer.from(`\r\n--${BOUNDARY}--\r\n`)]),
  };
};
