import { randomUUID } from 'node:crypto';
import type { Readable } from 'node:stream';
import type { Identity } from '../access/index.js';
import { ApiError, errors } from '../errors.js';
import { createGate } from '../limits/gate.js';
import { currentPosition, readChanges } from '../store/outbox/read-changes.js';
import { memberOf } from '../values/once-per.js';
import type { LiveAnswer } from './answer.js';
import { ClientStream } from './client-stream.js';
import { limitStreams } from './limits.js';
import { type LiveList, type LiveParts, type LiveRead, listKey, openList, type Stream } from './live-list.js';

/** How a client asks for a stream. */
interface LiveRequest {
  readonly read: LiveRead;
  readonly caller: Identity;
  /** The `Authorization` header. */
  readonly authorization: string;
  /** The `Last-Event-ID` header: what the client has already; empty: nothing. */
  readonly lastEventId: string;
  /** Bytes of the response that have not been sent yet. */
  readonly inResponse: () => number;
}

interface OpenStream {
  /** The events. Destroying it ends the stream. */
  readonly body: Readable;
  /** Call when the response can take more. */
  drained(): void;
}

export interface Live {
  /** Throws what the plain read would throw, a 429 or a 503 if there are too many streams. */
  open(request: LiveRequest): Promise<OpenStream>;
  /** Ends all streams; from then on, none can be opened. */
  close(): void;
}

export interface LiveOptions {
  /** Milliseconds between looks at whether callers may still see what they see. */
  readonly every?: number;
  /** Milliseconds of silence after which a comment is sent. */
  readonly heartbeat?: number;
}

/** Whether the same read may succeed in a moment; any other 4xx is what a stream that begins anew gets, too. */
const isPassing = ({ status, code }: ApiError): boolean => status === 429 || code === 'query-timed-out';

/** Lists that are read at once. */
const AT_ONCE = 4;

/** Live lists of one process. */
export function createLive(parts: LiveParts, { every = 5000, heartbeat = 15_000 }: LiveOptions = {}): Live {
  const { access, store, config, record } = parts;
  const lists = new Map<string, LiveList>();
  const limits = limitStreams(config.live);
  const gate = createGate({ atOnce: AT_ONCE, maxWaiting: Number.POSITIVE_INFINITY });
  /** The reading of the log, which goes on as long as there are streams; `ready` when no change is missed from then on. */
  let following: { readonly stopping: AbortController; readonly ready: Promise<string> } | null = null;
  let isClosed = false;

  const leave = (stream: Stream): void => {
    const { list } = stream;
    stream.list = null;
    list?.streams.delete(stream);
    if (list?.streams.size === 0 && lists.get(list.key) === list) lists.delete(list.key);
  };
  const end = (stream: Stream): void => {
    leave(stream);
    stream.out.end();
  };
  const endAll = (): void => {
    for (const { streams } of lists.values()) for (const stream of streams) end(stream);
  };

  /** Adds a stream to the list that its caller sees, and reads it. */
  const join = async (stream: Stream, caller: Identity): Promise<LiveAnswer> => {
    const key = listKey(parts, stream, caller);
    const list = memberOf(lists, key, () => openList(key, stream.read, caller, around));
    list.streams.add(stream);
    stream.list = list;
    return list.current();
  };

  /** Null: nobody, since the credential is no longer valid. */
  const identify = (authorization: string): Promise<Identity | null> =>
    access.identify(authorization).catch((error: unknown) => {
      if (error instanceof ApiError && error.status === 401) return null;
      throw error;
    });

  /** Ends the streams whose callers may not read this any more, and moves those whose callers see something else. */
  const authorize = async (list: LiveList): Promise<void> => {
    const callers = new Map<string, Promise<Identity | null>>();
    for (const stream of list.streams) {
      const { authorization, read } = stream;
      const caller = await memberOf(callers, authorization, () => identify(authorization));
      if (stream.list !== list) continue;
      if (!caller?.grants.allows(read.action)) end(stream);
      else if (listKey(parts, stream, caller) === list.key) list.caller = caller;
      else {
        leave(stream);
        // Not awaited: that list has not been read yet.
        join(stream, caller).catch(() => end(stream));
      }
    }
  };

  const around = {
    parts,
    gate,
    authorize,
    unsent(): number {
      const streams = [...lists.values()].flatMap((list) => [...list.streams]);
      return streams.reduce((sum, { out }) => sum + out.unsent, 0);
    },
    failed({ streams }: LiveList, error: unknown): boolean {
      if (streams.size === 0) return false;
      record({ name: 'live-interrupted', err: error });
      const isFinal = error instanceof ApiError && error.status < 500 && !isPassing(error);
      if (isFinal) for (const stream of streams) end(stream);
      return !isFinal;
    },
  };

  /** Finds what no change in the log tells. */
  const look = (): void => {
    for (const list of lists.values()) {
      void authorize(list).catch(() => undefined);
      let isDue = list.isTimed && performance.now() - list.readAt >= heartbeat;
      for (const { out } of list.streams) {
        isDue ||= out.isBehind && !out.isFull;
        out.commentAfter(heartbeat);
      }
      if (isDue) again(list);
    }
  };
  const again = (list: LiveList): void => void list.current().catch(() => undefined);

  const read = async (ready: Promise<string>, signal: AbortSignal): Promise<void> => {
    for await (const change of readChanges(store, { after: await ready, signal }))
      for (const list of lists.values()) if (list.concerns(change)) list.changed(change.at);
  };
  const follow = (): Promise<string> => {
    if (following) return following.ready;
    const [stopping, ready] = [new AbortController(), currentPosition(store)];
    following = { stopping, ready };
    const timer = setInterval(look, every).unref();
    read(ready, stopping.signal)
      .catch((error: unknown) => {
        record({ name: 'live-interrupted', err: error });
        endAll();
      })
      .finally(() => {
        clearInterval(timer);
        if (following?.stopping === stopping) following = null;
      });
    return ready;
  };
  const unfollow = (): void => {
    following?.stopping.abort();
    following = null;
  };

  return {
    async open({ read, caller, authorization, lastEventId, inResponse }) {
      const free = limits.enter(read.budget.client, caller);
      const out = new ClientStream(lastEventId, inResponse);
      const stream: Stream = { read, authorization, own: randomUUID(), out, list: null };
      const began = performance.now();
      record({ name: 'stream-opened', uid: read.type.uid });
      out.body.once('close', () => {
        leave(stream);
        free();
        if (limits.open === 0) unfollow();
        record({ name: 'stream-closed', uid: read.type.uid, ms: Math.round(performance.now() - began) });
      });
      try {
        await follow();
        if (isClosed) throw errors.streamsExhausted(0);
        const answer = await join(stream, caller);
        if ('documentId' in read.of || read.of.target === 'single')
          if (answer.entries.length === 0) throw errors.notFound();
        return {
          body: out.body,
          drained: () =>
            setImmediate(() => {
              if (out.isBehind && !out.isFull && stream.list) again(stream.list);
            }),
        };
      } catch (error) {
        out.body.destroy();
        throw error;
      }
    },
    close() {
      isClosed = true;
      endAll();
      unfollow();
    },
  };
}
