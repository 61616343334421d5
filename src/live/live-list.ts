import type { Access, Identity } from '../access/index.js';
import type { Config } from '../config/types.js';
import type { Action } from '../documents/middleware.js';
import type { JsonOf, Reader } from '../documents/read/reader.js';
import type { Documents } from '../documents/types.js';
import type { RecordEvent } from '../events/events.js';
import { newAbortController } from '../limits/abort-controller.js';
import type { Budget } from '../limits/budget.js';
import type { Gate } from '../limits/gate.js';
import type { Query } from '../query/query.js';
import type { ContentType } from '../schema/types.js';
import type { Store } from '../store/client.js';
import { once } from '../values/once-per.js';
import { answerOf, type LiveAnswer } from './answer.js';
import type { ClientStream } from './client-stream.js';
import { type Concern, concernOf } from './concern.js';
import { eventsBetween, type KnownAnswer, knownOf, wholeEvent } from './events.js';
import { type WatchedRead, watchRead } from './watched-read.js';

/** What live lists work with. */
export interface LiveParts {
  readonly config: Pick<Config, 'live' | 'server'>;
  readonly store: Pick<Store, 'db'>;
  readonly reader: Reader;
  readonly documents: Documents;
  readonly access: Pick<Access, 'identify'>;
  readonly record: RecordEvent;
}

/** A read of content, as a request asks for it. */
export interface LiveRead {
  readonly type: ContentType;
  readonly of: JsonOf;
  /** The grant that it requires. */
  readonly action: string;
  readonly query: Query;
  readonly v4: boolean;
  /** The limits of the request. */
  readonly budget: Budget;
}

/** One client's stream. */
export interface Stream {
  readonly read: LiveRead;
  /** The `Authorization` header. */
  readonly authorization: string;
  /** What is in the key of a list that is this stream's alone. */
  readonly own: string;
  readonly out: ClientStream;
  /** Null: none yet, or not any more. */
  list: LiveList | null;
}

/** A read as some callers see it: one evaluation for the streams of all of them. */
export interface LiveList extends WatchedRead, Concern {
  readonly key: string;
  readonly streams: Set<Stream>;
  /** The caller as whom it is read: one of theirs, all of whom see the same. */
  caller: Identity;
  /** When it was last read, by `performance.now()`. */
  readonly readAt: number;
}

/** The lists that a list is one of. */
export interface ListSurroundings {
  readonly parts: LiveParts;
  /** Limits how many lists are read at once. */
  readonly gate: Gate;
  /** Leaves only streams whose callers may see this list now. Called before each read. */
  authorize(list: LiveList): Promise<void>;
  /** Unsent bytes of all streams. */
  unsent(): number;
  /** Called when a read has failed. Returns whether it is tried again. */
  failed(list: LiveList, error: unknown): boolean;
}

const actionOf = (of: JsonOf): Action =>
  'documentId' in of ? 'findOne' : of.target === 'list' ? 'findMany' : 'findFirst';

/** Of a read in which code of the project takes part: what it looks at is not known. */
const ANYTHING: Concern = { concerns: () => true, isTimed: true };

/** Whether code of the project takes part in a read. */
const isWrapped = ({ documents }: LiveParts, { type, of }: LiveRead): boolean =>
  documents.isWrapped(type.uid, [actionOf(of)]);

/** Equal for streams that have the same answer. */
export function listKey(parts: LiveParts, { read, own }: Stream, caller: Identity): string {
  const { type, of, query, v4 } = read;
  const { grants, anonymous = false } = caller;
  const isAlone = query.key === null || isWrapped(parts, read);
  // What rules name of an account differs between accounts.
  const account = grants.values && caller.kind === 'user' ? caller.userId : null;
  return JSON.stringify([type.uid, of, v4, grants.version, anonymous, account, isAlone ? own : query.key]);
}

/** @throws ApiError for an invalid query */
export function openList(key: string, read: LiveRead, caller: Identity, around: ListSurroundings): LiveList {
  const { parts, gate } = around;
  const { type, of, query, v4 } = read;
  const documentId = 'documentId' in of ? of.documentId : null;
  const target = 'documentId' in of ? 'one' : of.target;
  const { plan } = parts.reader.prepare({ type, query, caller, v4, target }).read;
  let known: KnownAnswer | null = null;
  let readAt = 0;

  const evaluate = async (): Promise<LiveAnswer> => {
    await around.authorize(list);
    const began = performance.now();
    const { requestMs } = parts.config.server;
    const aborting = newAbortController();
    const late = () => aborting.abort(new Error(`a live list could not be read within ${requestMs} ms`));
    const timer = requestMs === 0 ? undefined : setTimeout(late, requestMs);
    const clock = { start: () => undefined, stop: () => undefined };
    const budget: Budget = { ...read.budget, signal: aborting.signal, clock, spent: { bytes: 0 } };
    const service = parts.documents(type.uid).forRequest({ query, caller: list.caller, v4, budget });
    const answer = await answerOf(await service.readJson(of).finally(() => clearTimeout(timer)));
    readAt = performance.now();
    const ms = Math.round((readAt - began) * 10) / 10;
    parts.record({ name: 'live-evaluated', uid: type.uid, ms, count: list.streams.size });
    return answer;
  };
  const found = (answer: LiveAnswer, changedAt: Date | null): void => {
    const before = known;
    known = knownOf(answer);
    const events = once(() => before && eventsBetween(before, answer));
    const [first, reset] = [once(() => wholeEvent('data', answer)), once(() => wholeEvent('reset', answer))];
    let unsent = around.unsent();
    for (const { out } of list.streams) {
      if (out.has === answer.digest) continue;
      out.isBehind = out.isFull || unsent > parts.config.server.maxUnsentBytes;
      if (out.isBehind) continue;
      unsent -= out.unsent;
      const next = out.has === before?.digest ? events() : null;
      out.send(next ?? (out.has === '' ? first() : reset()), answer.digest);
      unsent += out.unsent;
    }
    if (changedAt) parts.record({ name: 'live-told', uid: type.uid, ms: Date.now() - changedAt.getTime() });
  };
  const list: LiveList = {
    ...watchRead({ read: evaluate, gate, found, failed: (error) => around.failed(list, error) }),
    key,
    streams: new Set(),
    caller,
    ...(isWrapped(parts, read) ? ANYTHING : concernOf(plan, documentId)),
    get readAt() {
      return readAt;
    },
  };
  return list;
}
