/** A client of a live list: applies the events, so that what it has can be compared with a plain GET. */
import { get } from 'node:http';
import { until } from '../../packages/engine/test/support/until.js';

interface Data {
  readonly data?: unknown;
  readonly meta?: unknown;
  readonly index?: number;
  readonly from?: number;
  readonly entry?: unknown;
}

export interface Followed {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  /** The answer with all events so far; the error, if it is one. */
  readonly answer: unknown;
  /** The names of the events so far. */
  readonly names: string[];
  /** Comments so far. */
  readonly comments: number;
  readonly lastEventId: string;
  readonly ended: boolean;
  /** Stops and goes on reading. */
  pause(): void;
  resume(): void;
  close(): void;
  /** Waits until the client has an answer. */
  has(isIt: (answer: unknown) => boolean, ms?: number): Promise<void>;
}

interface FollowOptions {
  readonly token?: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  readonly lastEventId?: string;
  /** What the client has from an earlier connection. */
  readonly answer?: unknown;
}

type Answer = { data: unknown; meta: unknown };

/** What a client has after an event. */
export function applied(answer: unknown, name: string, given: Data): unknown {
  if (name === 'data' || name === 'reset') return given;
  const { data, meta } = answer as Answer;
  if (name === 'meta') return { data, meta: given.meta };
  const isList = Array.isArray(data);
  const list = isList ? [...data] : data === null ? [] : [data];
  const { index = 0, from = index, entry } = given;
  if (name === 'disappear') list.splice(index, 1);
  else if (name === 'appear') list.splice(index, 0, entry);
  else if (name === 'update') list[index] = entry;
  else if (name === 'move') {
    list.splice(from, 1);
    list.splice(index, 0, entry);
  } else throw new Error(`the event ${name}`);
  return { data: isList ? list : (list[0] ?? null), meta };
}

/** Resolves when the headers are there. */
export const follow = (
  url: string,
  { token, headers = {}, lastEventId, answer }: FollowOptions = {},
): Promise<Followed> =>
  new Promise((resolve, reject) => {
    const request = get(
      url,
      {
        agent: false,
        headers: {
          accept: 'text/event-stream',
          ...(token !== undefined && { authorization: `Bearer ${token}` }),
          ...(lastEventId !== undefined && { 'last-event-id': lastEventId }),
          ...headers,
        },
      },
      (response) => {
        const state = {
          status: response.statusCode ?? 0,
          headers: response.headers,
          answer: answer as unknown,
          names: [] as string[],
          comments: 0,
          lastEventId: lastEventId ?? '',
          ended: false,
          pause: () => void response.pause(),
          resume: () => void response.resume(),
          close: () => void request.destroy(),
          has: (isIt: (answer: unknown) => boolean, ms = 60_000) =>
            until(
              () => isIt(state.answer),
              () => `the client has ${JSON.stringify(state.answer).slice(0, 2000)} after ${state.names}`,
              { within: ms },
            ),
        };
        let rest = '';
        response.setEncoding('utf8');
        response.on('data', (text: string) => {
          rest += text;
          for (let end = rest.indexOf('\n\n'); end !== -1; end = rest.indexOf('\n\n')) {
            const lines = rest.slice(0, end).split('\n');
            rest = rest.slice(end + 2);
            const field = (name: string): string | undefined =>
              lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2);
            const name = field('event');
            if (name === undefined) {
              state.comments += 1;
              continue;
            }
            state.answer = applied(state.answer, name, JSON.parse(field('data') ?? '') as Data);
            state.lastEventId = field('id') ?? state.lastEventId;
            state.names.push(name);
          }
        });
        response.on('error', () => undefined);
        response.on('close', () => {
          state.ended = true;
          if (state.status >= 400) state.answer = JSON.parse(rest || 'null');
          if (state.status >= 400) resolve(state);
        });
        if (state.status < 400) resolve(state);
      },
    );
    request.on('error', reject);
  });
