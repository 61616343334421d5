import { type ClientRequest, Agent as HttpAgent, request as requestHttp } from 'node:http';
import { Agent as HttpsAgent, request as requestHttps } from 'node:https';
import { reasonOf } from '../values/reason-of.js';
import { type Allows, literalAddress, lookupAllowed, PrivateAddress } from './addresses.js';

/** Milliseconds until there has to be an answer. */
const TIMEOUT = 15_000;

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

/** Connections that are kept for the next request, for less time than servers usually keep them. */
export interface KeptConnections {
  readonly http: HttpAgent;
  readonly https: HttpsAgent;
  close(): void;
}

const KEPT = { keepAlive: true, timeout: 4000 };

export function keepConnections(): KeptConnections {
  const [http, https] = [new HttpAgent(KEPT), new HttpsAgent(KEPT)];
  return {
    http,
    https,
    close() {
      http.destroy();
      https.destroy();
    },
  };
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
  /** Absent: the connection is not kept. */
  readonly connections?: KeptConnections;
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
  connections,
}: PostOptions): Promise<number> {
  const { protocol, hostname } = new URL(url);
  const literal = literalAddress(hostname);
  // An address is not resolved.
  if (literal !== null && !allows(literal, literal)) return Promise.reject(new PrivateAddress(hostname));
  const body = Buffer.from(payload);
  const isSecure = protocol === 'https:';
  const options = {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json', 'content-length': String(body.length) },
    lookup: lookupAllowed(allows),
    signal,
  };
  let sent: ClientRequest | undefined;
  const noAnswer = `no answer within ${timeout / 1000} s`;
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    sent?.destroy();
  }, timeout);
  const send = (agent: HttpAgent | false): Promise<number> =>
    new Promise((resolve, reject) => {
      let status: number | null = null;
      const request = (isSecure ? requestHttps : requestHttp)(url, { ...options, agent }, (answer) => {
        status = answer.statusCode ?? 0;
        // Only the status matters; the rest is read so that the receiver can end in peace.
        let bytes = 0;
        answer.on('error', () => undefined);
        answer.on('data', ({ length }: Buffer) => {
          bytes += length;
          if (bytes > MAX_ANSWER) answer.destroy();
        });
      });
      sent = request;
      request.on('error', (error) => {
        if (status !== null) return;
        if (isLate) reject(new Error(noAnswer));
        // The receiver may have closed it at this moment.
        else if (request.reusedSocket && !signal.aborted) resolve(send(false));
        else reject(error);
      });
      // After the answer, so that no more connections are open than deliveries are under way, or without one and without
      // an error, as after a 101.
      request.on('close', () => {
        if (status !== null) resolve(status);
        else reject(new Error(isLate ? noAnswer : 'the connection was closed without an answer'));
      });
      request.end(body);
    });
  return send(connections?.[isSecure ? 'https' : 'http'] ?? false).finally(() => clearTimeout(timer));
}
