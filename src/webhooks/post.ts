import { request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { reasonOf } from '../values/reason-of.js';
import { type Allows, literalAddress, lookupAllowed, PrivateAddress } from './addresses.js';

/** Milliseconds until there has to be an answer. */
export const TIMEOUT = 15_000;

/** Maximum bytes of an answer that are read. */
const MAX_ANSWER = 65_536;

/** What came of a request. */
export interface Answered {
  /** HTTP status; null if there was no answer. */
  readonly status: number | null;
  readonly ms: number;
  /** Why there was no answer; null if there was one. */
  readonly error: string | null;
}

export interface PostOptions {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly payload: string;
  readonly allows: Allows;
  /** Abandons the request. */
  readonly signal: AbortSignal;
  /** Milliseconds; TIMEOUT if absent. */
  readonly timeout?: number;
}

/**
 * Posts JSON. Follows no redirects, and connects only to addresses that are allowed: a name is resolved once, for
 * this connection.
 */
export async function post(options: PostOptions): Promise<Answered> {
  const began = performance.now();
  const ms = (): number => Math.round(performance.now() - began);
  try {
    return { status: await statusOf(options), ms: ms(), error: null };
  } catch (error) {
    return { status: null, ms: ms(), error: reasonOf(error) };
  }
}

function statusOf({
  url,
  headers,
  payload,
  allows,
  signal,
  timeout = TIMEOUT,
}: PostOptions): Promise<number> {
  const { protocol, hostname } = new URL(url);
  const literal = literalAddress(hostname);
  // An address is not resolved.
  if (literal !== null && !allows(literal, literal)) return Promise.reject(new PrivateAddress(hostname));
  const body = Buffer.from(payload);
  const late = AbortSignal.timeout(timeout);
  return new Promise((resolve, reject) => {
    const sent = (protocol === 'https:' ? requestHttps : requestHttp)(
      url,
      {
        method: 'POST',
        headers: {
          ...headers,
          'content-type': 'application/json',
          'content-length': String(body.length),
        },
        agent: false,
        lookup: lookupAllowed(allows),
        signal: AbortSignal.any([signal, late]),
      },
      (answer) => {
        // Only the status matters; the rest is read so that the receiver can end in peace.
        let bytes = 0;
        answer.on('error', () => undefined);
        answer.on('data', ({ length }: Buffer) => {
          bytes += length;
          if (bytes > MAX_ANSWER) answer.destroy();
        });
        resolve(answer.statusCode ?? 0);
      },
    );
    sent.on('error', (error) =>
      reject(late.aborted ? new Error(`no answer within ${timeout / 1000} s`) : error),
    );
    sent.end(body);
  });
}
