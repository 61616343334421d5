import { randomInt } from 'node:crypto';

/** One request of an attacker. */
export interface Shot {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
  /** The client's own address; all of 127.0.0.0/8 is the machine itself on Linux. */
  readonly from?: string;
  /** What the attacker does with it: reads the answer if absent. */
  readonly ending?: Ending;
}

/** Never reads the answer, hangs up after a while, or announces more than it sends and waits. */
export type Ending = 'leave' | 'stall' | { readonly hangUpAfterMs: number };

export interface Attack {
  readonly name: string;
  /** Requests under way at the same time. */
  readonly connections: number;
  /** The n-th request, on a database with `size` restaurants. */
  shot(n: number, size: number): Shot;
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
