import type { Identity } from '../access/index.js';
import { ApiError } from '../errors.js';
import { createGate } from '../limits/gate.js';
import type { Change } from '../store/outbox/read-changes.js';
import { memberOf } from '../values/once-per.js';
import type { LiveAnswer } from './answer.js';
import {
  type ListSurroundings,
  type LiveList,
  type LiveParts,
  listKey,
  openList,
  type Stream,
} from './live-list.js';

/** Lists that are read at once. */
const AT_ONCE = 4;

/** Whether the same read may succeed in a moment; any other 4xx is what a stream that begins anew gets, too. */
const isPassing = ({ status, code }: ApiError): boolean => status === 429 || code === 'query-timed-out';

const again = (list: LiveList): void => void list.current().catch(() => undefined);

/** The live lists of one process, each for the streams whose callers see the same. */
export class LiveLists implements ListSurroundings {
  readonly gate = createGate({ atOnce: AT_ONCE, maxWaiting: Number.POSITIVE_INFINITY });
  private readonly lists = new Map<string, LiveList>();

  constructor(readonly parts: LiveParts) {}

  /** Adds a stream to the list that its caller sees, and reads it. */
  async join(stream: Stream, caller: Identity): Promise<LiveAnswer> {
    const key = listKey(this.parts, stream, caller);
    const list = memberOf(this.lists, key, () => openList(key, stream.read, caller, this));
    list.streams.add(stream);
    stream.list = list;
    return list.current();
  }

  leave(stream: Stream): void {
    const { list } = stream;
    stream.list = null;
    list?.streams.delete(stream);
    if (list?.streams.size === 0 && this.lists.get(list.key) === list) this.lists.delete(list.key);
  }

  /** Its client has read something: sends what it has missed. */
  resume({ out, list }: Stream): void {
    if (out.isBehind && !out.isFull && list) again(list);
  }

  endAll(): void {
    for (const { streams } of this.lists.values()) for (const stream of streams) this.end(stream);
  }

  /** Reads again what a change may have changed. */
  changed(change: Change): void {
    for (const list of this.lists.values()) if (list.concerns(change)) list.changed(change.at);
  }

  /**
   * Finds what no change in the log tells.
   * @param heartbeat see `LiveOptions`
   */
  look(heartbeat: number): void {
    for (const list of this.lists.values()) {
      void this.authorize(list).catch(() => undefined);
      let isDue = list.isTimed && performance.now() - list.readAt >= heartbeat;
      for (const { out } of list.streams) {
        isDue ||= out.isBehind && !out.isFull;
        out.commentAfter(heartbeat);
      }
      if (isDue) again(list);
    }
  }

  /** Ends the streams whose callers may not read this any more, and moves those whose callers see something else. */
  async authorize(list: LiveList): Promise<void> {
    const callers = new Map<string, Promise<Identity | null>>();
    for (const stream of list.streams) {
      const { authorization, read } = stream;
      const caller = await memberOf(callers, authorization, () => this.identify(authorization));
      if (stream.list !== list) continue;
      if (!caller?.grants.allows(read.action)) this.end(stream);
      else if (listKey(this.parts, stream, caller) === list.key) list.caller = caller;
      else {
        this.leave(stream);
        // Not awaited: that list has not been read yet.
        this.join(stream, caller).catch(() => this.end(stream));
      }
    }
  }

  unsent(): number {
    const streams = [...this.lists.values()].flatMap((list) => [...list.streams]);
    return streams.reduce((sum, { out }) => sum + out.unsent, 0);
  }

  failed({ streams }: LiveList, error: unknown): boolean {
    if (streams.size === 0) return false;
    this.parts.record({ name: 'live-interrupted', err: error });
    const isFinal = error instanceof ApiError && error.status < 500 && !isPassing(error);
    if (isFinal) for (const stream of streams) this.end(stream);
    return !isFinal;
  }

  private end(stream: Stream): void {
    this.leave(stream);
    stream.out.end();
  }

  /** Null: nobody, since the credential is no longer valid. */
  private identify(authorization: string): Promise<Identity | null> {
    return this.parts.access.identify(authorization).catch((error: unknown) => {
      if (error instanceof ApiError && error.status === 401) return null;
      throw error;
    });
  }
}
