import { randomUUID } from 'node:crypto';
import type { Readable } from 'node:stream';
import type { Identity } from '../access/index.js';
import { errors } from '../errors.js';
import { currentPosition, readChanges } from '../store/outbox/read-changes.js';
import { ClientStream } from './client-stream.js';
import { limitStreams, type StreamLimits } from './limits.js';
import type { LiveParts, LiveRead, Stream } from './live-list.js';
import { LiveLists } from './live-lists.js';

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

export interface LiveOptions {
  /** Milliseconds between looks at whether callers may still see what they see. */
  readonly every?: number;
  /** Milliseconds of silence after which a comment is sent. */
  readonly heartbeat?: number;
}

/** The live lists of one process, and the streams that clients have opened. */
export class Live {
  private readonly lists: LiveLists;
  private readonly limits: StreamLimits;
  private readonly every: number;
  private readonly heartbeat: number;
  /** The reading of the log, which goes on as long as there are streams; `ready` when no change is missed from then on. */
  private following: { readonly stopping: AbortController; readonly ready: Promise<string> } | null = null;
  private isClosed = false;

  constructor(
    private readonly parts: LiveParts,
    { every = 5000, heartbeat = 15_000 }: LiveOptions = {},
  ) {
    this.lists = new LiveLists(parts);
    this.limits = limitStreams(parts.config.live);
    this.every = every;
    this.heartbeat = heartbeat;
  }

  /** Throws what the plain read would throw, a 429 or a 503 if there are too many streams. */
  async open({ read, caller, authorization, lastEventId, inResponse }: LiveRequest): Promise<OpenStream> {
    const { lists, limits } = this;
    const { record } = this.parts;
    const free = limits.enter(read.budget.client, caller);
    const out = new ClientStream(lastEventId, inResponse);
    const stream: Stream = { read, authorization, own: randomUUID(), out, list: null };
    const began = performance.now();
    record({ name: 'stream-opened', uid: read.type.uid });
    out.body.once('close', () => {
      lists.leave(stream);
      free();
      if (limits.open === 0) this.unfollow();
      record({ name: 'stream-closed', uid: read.type.uid, ms: Math.round(performance.now() - began) });
    });
    try {
      await this.follow();
      if (this.isClosed) throw errors.streamsExhausted(0);
      const answer = await lists.join(stream, caller);
      if ('documentId' in read.of || read.of.target === 'single')
        if (answer.entries.length === 0) throw errors.notFound();
      return {
        body: out.body,
        drained: () => setImmediate(() => lists.resume(stream)),
      };
    } catch (error) {
      out.body.destroy();
      throw error;
    }
  }

  /** Ends all streams; from then on, none can be opened. */
  close(): void {
    this.isClosed = true;
    this.lists.endAll();
    this.unfollow();
  }

  private follow(): Promise<string> {
    if (this.following) return this.following.ready;
    const [stopping, ready] = [new AbortController(), currentPosition(this.parts.store)];
    this.following = { stopping, ready };
    const timer = setInterval(() => this.lists.look(this.heartbeat), this.every).unref();
    this.readLog(ready, stopping.signal)
      .catch((error: unknown) => {
        this.parts.record({ name: 'live-interrupted', err: error });
        this.lists.endAll();
      })
      .finally(() => {
        clearInterval(timer);
        if (this.following?.stopping === stopping) this.following = null;
      });
    return ready;
  }

  private async readLog(ready: Promise<string>, signal: AbortSignal): Promise<void> {
    const changes = readChanges(this.parts.store, { after: await ready, signal });
    for await (const change of changes) this.lists.changed(change);
  }

  private unfollow(): void {
    this.following?.stopping.abort();
    this.following = null;
  }
}
