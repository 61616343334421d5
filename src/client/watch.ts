/** The client's side of a live list (docs/in-time.md). */
import { ApiError, answerOf } from './answer.js';
import type { Envelope } from './types.js';

const EVENTS = 'text/event-stream';
/** Milliseconds without a sign of life, after which the connection is taken for dead; the server sends one every 15 s. */
const SILENCE = 45_000;
/** Milliseconds until the next attempt, doubled with each that fails. */
const [FIRST_WAIT, LONGEST_WAIT] = [500, 30_000];

interface Told {
  readonly data?: unknown;
  readonly meta?: Envelope<unknown>['meta'];
  readonly index?: number;
  readonly from?: number;
  readonly entry?: unknown;
}

interface StreamEvent {
  readonly name: string;
  readonly id: string;
  readonly told: Told;
}

/** What the client has after an event. */
function applied(answer: Envelope<unknown>, { name, told }: StreamEvent): Envelope<unknown> {
  const { index = 0, from = index, entry, meta = {} } = told;
  if (name === 'data' || name === 'reset') return { data: told.data, meta };
  if (name === 'meta') return { ...answer, meta };
  const isList = Array.isArray(answer.data);
  const list: unknown[] = isList
    ? [...(answer.data as unknown[])]
    : answer.data === null
      ? []
      : [answer.data];
  if (name !== 'appear') list.splice(from, 1);
  if (name !== 'disappear') list.splice(index, 0, entry);
  return { ...answer, data: isList ? list : (list[0] ?? null) };
}

function eventIn(lines: string): StreamEvent | null {
  const field = (name: string): string => new RegExp(`^${name}: (.*)$`, 'm').exec(lines)?.[1] ?? '';
  const data = field('data');
  return data === '' ? null : { name: field('event'), id: field('id'), told: JSON.parse(data) as Told };
}

async function* eventsOf(body: ReadableStream<Uint8Array>, alive: () => void): AsyncGenerator<StreamEvent> {
  const decoder = new TextDecoder();
  const reader = body.getReader();
  let text = '';
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      alive();
      const parts = (text + decoder.decode(value, { stream: true })).split('\n\n');
      text = parts.pop() ?? '';
      for (const part of parts) {
        const event = eventIn(part);
        if (event) yield event;
      }
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

/** What is refused now and may succeed in a moment, besides 5xx. */
const isTooMuchNow = ({ status, details }: ApiError): boolean =>
  status === 429 || (details as { code?: unknown } | undefined)?.code === 'query-timed-out';

/** Whether to try again: the server or the network fails, rather than the request. */
const isPassing = (error: unknown): boolean =>
  error instanceof ApiError ? error.status >= 500 || isTooMuchNow(error) : true;

const pause = (ms: number, signal: AbortSignal | undefined): Promise<void> =>
  new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal?.addEventListener('abort', end);
  });

/**
 * Yields what a read answers, and again after each change. Connects anew when the connection ends; ends when `signal`
 * aborts.
 * @param open sends the request
 * @throws ApiError if the caller may not read this, or not any more; what the first attempt fails with
 */
export async function* watch(
  open: (headers: Readonly<Record<string, string>>, signal: AbortSignal) => Promise<Response>,
  signal?: AbortSignal,
): AsyncGenerator<Envelope<unknown>> {
  let answer: Envelope<unknown> | null = null;
  let [has, wait] = ['', FIRST_WAIT];
  while (!signal?.aborted) {
    const connection = new AbortController();
    const leave = (): void => connection.abort();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const alive = (): void => {
      clearTimeout(timer);
      timer = setTimeout(leave, SILENCE);
    };
    signal?.addEventListener('abort', leave);
    try {
      alive();
      const headers = { accept: EVENTS, ...(has && { 'last-event-id': has }) };
      const response = await open(headers, connection.signal);
      if (!response.ok) await answerOf(response);
      if (!response.body || !response.headers.get('content-type')?.startsWith(EVENTS))
        throw new ApiError(406, 'NotAcceptableError', 'The server has no live lists', {});
      for await (const event of eventsOf(response.body, alive)) {
        answer = applied(answer ?? { data: null, meta: {} }, event);
        wait = FIRST_WAIT;
        // Also in the middle of a change, so that whoever is cut off there begins anew.
        has = event.id;
        // Only after the last event of a change it is what a read answers.
        if (has.includes('+')) continue;
        // The time that the caller takes is not the server's silence.
        clearTimeout(timer);
        yield answer;
        alive();
      }
    } catch (error) {
      if (signal?.aborted) return;
      if (answer === null || !isPassing(error)) throw error;
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', leave);
      connection.abort();
    }
    await pause(wait, signal);
    wait = Math.min(2 * wait, LONGEST_WAIT);
  }
}
