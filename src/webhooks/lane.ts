/** Sends the deliveries of one endpoint: those of a document one after the other, those of several at the same time. */
import {
  type Delivery,
  noteOutcomes,
  type Outcome,
  storeDeliveries,
  waitingFor,
} from '../store/webhooks/deliveries.js';
import { setDisabled } from '../store/webhooks/endpoints.js';
import { gathered } from '../values/gathered.js';
import { groupBy } from '../values/group.js';
import type { Allows } from './addresses.js';
import type { Endpoint } from './endpoint.js';
import type { WebhookParts } from './parts.js';
import { namedAlone } from './payload.js';
import { type Answered, type KeptConnections, post } from './post.js';
import { signed } from './signature.js';

/** Deliveries of one endpoint that are under way at the same time, as in Strapi. */
const AT_ONCE = 5;
/** How many waiting deliveries are read at once. */
const WINDOW = 50;
/** How many documents may wait for another attempt until no others are tried: the endpoint is down. */
const MAX_RESTING = 1000;
/** Milliseconds between two times that outcomes are stored. */
const NOTED_EVERY = 50;
/** Milliseconds between two times that what has not been sent so far is stored. */
const HELD_FOR = 500;
/** Milliseconds until what the database refused is tried again. */
const PAUSE = 1000;
const GONE = 410;

/** Milliseconds until the next attempt, by the number of attempts made: 5 s, doubled each time, up to an hour. */
export const backoffOf = (attempts: number): number =>
  Math.min(5000 * 2 ** (attempts - 1), 3_600_000) * (0.9 + Math.random() * 0.2);

/** The headers of a delivery that is sent now. Those of the endpoint come before Mangrove's own. */
export const headersOf = (
  { headers, secrets }: Endpoint,
  defaults: Readonly<Record<string, string>>,
  { event, webhookId, payload }: Pick<Delivery, 'event' | 'webhookId' | 'payload'>,
): Record<string, string> => ({
  'user-agent': 'Mangrove',
  ...lowered(defaults),
  ...lowered(headers),
  'x-strapi-event': event,
  ...signed({ id: webhookId, timestamp: Math.floor(Date.now() / 1000), payload }, secrets),
});

const lowered = (headers: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));

/** Those of documents that also have one of `first`, and the others. */
function apart(
  deliveries: readonly Delivery[],
  first: Iterable<Delivery>,
): readonly [behind: readonly Delivery[], others: readonly Delivery[]] {
  const documents = new Set([...first].map(({ document }) => document));
  const parts = groupBy(deliveries, ({ document }) => documents.has(document));
  return [parts.get(true) ?? [], parts.get(false) ?? []];
}

export interface LaneParts extends WebhookParts {
  /** Milliseconds until the next attempt, by the number of attempts made. */
  readonly backoff: (attempts: number) => number;
  readonly allows: Allows;
  readonly connections: KeptConnections;
}

export interface Lane {
  /** There may be deliveries that it does not know. */
  wake(): void;
  /** New deliveries, in order. They are stored when they have been sent, or at once if they have to wait. */
  add(deliveries: readonly Delivery[]): Promise<void>;
  /** The number of the first delivery that is not stored; infinite if there is none. */
  firstUnstored(): number;
  /** The endpoint as it is now. */
  change(endpoint: Endpoint): void;
  /** Begins no more deliveries, and waits for those that are under way until the signal abandons them. */
  stop(): Promise<void>;
}

/** @param signal abandons what is under way; it is sent again by the next process */
export function openLane(first: Endpoint, parts: LaneParts, signal: AbortSignal): Lane {
  const { db } = parts.store;
  const { name } = first;
  let endpoint = first;
  let isStopped = false;
  /** Whether the database may have deliveries that could be sent and are not in `ready`. */
  let isStale = true;
  /** Whether the last look has found all that wait. */
  let isWhole = false;
  /** In order; several may be of one document. */
  let ready: readonly Delivery[] = [];
  /**
   * Those that are not stored yet: in `ready`, under way, with an outcome that could not be stored, or behind one of these.
   * Of a document, none is stored before the ones that come first: after a crash, those would be queued again, behind it.
   */
  const held = new Map<string, Delivery>();
  /** Documents of which some are held behind one that is under way. */
  let behind: ReadonlySet<string> = new Set();
  let isSpillDue = false;
  /** Documents of which a delivery is sent, and which one. */
  const busy = new Map<string, string>();
  /** Deliveries that are sent, or whose outcome is not stored yet. */
  const underWay = new Map<string, Promise<void>>();
  /** Documents whose first delivery is tried again, and when. */
  const resting = new Map<string, number>();
  /** Documents that the last look left out. */
  let leftOut: ReadonlySet<string> = new Set();
  let wakeUp: () => void = () => undefined;

  const wake = (): void => {
    isStale = true;
    wakeUp();
  };
  const free = ({ _id, document }: Delivery): void => {
    if (busy.get(document) !== _id) return;
    busy.delete(document);
    if (leftOut.has(document)) isStale = true;
    wakeUp();
  };

  const record = (delivery: Delivery, { status, ms, error }: Answered): void =>
    parts.record({
      name: 'webhook-attempted',
      endpoint: name,
      event: delivery.event,
      status: status ?? 0,
      ms,
      reason: error ?? '',
    });

  const send = (delivery: Delivery): Promise<Answered> => {
    const { url } = endpoint;
    const { allows, connections } = parts;
    const headers = headersOf(endpoint, parts.config.webhooks.defaultHeaders, delivery);
    return post({ url, headers, payload: delivery.payload, allows, signal, connections });
  };

  const noteWithOthers = gathered(async (outcomes: readonly Outcome[]) => {
    await noteOutcomes(db, outcomes, namedAlone);
    for (const { delivery } of outcomes) held.delete(delivery._id);
  }, NOTED_EVERY);

  /** Sends a delivery and stores what came of it. */
  const attempt = async (delivery: Delivery): Promise<void> => {
    const { _id, document, until, changedAt } = delivery;
    const answered = await send(delivery);
    // Nobody knows what came of it.
    if (signal.aborted) return;
    record(delivery, answered);
    const { status } = answered;
    const at = new Date();
    const note = (after: Outcome['after']) =>
      noteWithOthers({ delivery, isStored: !held.has(_id), last: { at, ...answered }, after });
    if (status !== null && status >= 200 && status < 300) {
      // The next one of the document need not wait until this is stored: if it never is, both are sent again.
      free(delivery);
      // The clock of the process that made the change may be ahead.
      const ms = Math.max(0, at.getTime() - changedAt.getTime());
      parts.record({ name: 'webhook-delivered', endpoint: name, ms });
      await note({ state: 'delivered' });
      return;
    }
    if (status === GONE) {
      const reason = 'the receiver answered 410 Gone';
      await setDisabled(db, name, { at, reason });
      endpoint = { ...endpoint, disabled: reason };
      parts.record({ name: 'webhook-disabled', endpoint: name });
    }
    if (status === GONE || at >= until) {
      await note({ state: 'failed' });
      if (status !== GONE) parts.record({ name: 'webhook-given-up', endpoint: name, delivery: _id });
    } else {
      const wait = parts.backoff(delivery.attempts + 1);
      await note({ next: new Date(at.getTime() + wait) });
      // From now on, so that what is looked for then is stored.
      resting.set(document, performance.now() + wait);
    }
    free(delivery);
  };

  const begin = (delivery: Delivery): void => {
    const { _id, document } = delivery;
    busy.set(document, _id);
    const done = attempt(delivery)
      .catch((error: unknown) => {
        parts.record({ name: 'webhooks-interrupted', err: error });
        resting.set(document, performance.now() + PAUSE);
        free(delivery);
      })
      .finally(() => {
        underWay.delete(_id);
        if (behind.has(document)) wake();
      });
    underWay.set(_id, done);
  };

  /** Stores what is not under way, nor behind what is. Nothing is begun meanwhile. */
  const spill = async (): Promise<void> => {
    const waiting = [...held.values()].filter(({ _id }) => !underWay.has(_id));
    const [later, some] = apart(
      waiting,
      [...underWay.keys()].flatMap((id) => held.get(id) ?? []),
    );
    behind = new Set(later.map(({ document }) => document));
    await storeDeliveries(db, some, namedAlone);
    for (const { _id } of some) held.delete(_id);
    isSpillDue = false;
  };

  /** Reads what can be sent next. */
  const look = async (): Promise<void> => {
    // Before anything is awaited: who wakes it meanwhile may have put something behind what is being stored.
    [isStale, isWhole] = [false, false];
    await spill();
    // All of it is in the database now. If that cannot be asked, what comes first of a document that has rested is unknown.
    ready = [];
    const now = performance.now();
    const rested = new Set([...resting.keys()].filter((document) => Number(resting.get(document)) <= now));
    for (const document of rested) resting.delete(document);
    const isDown = resting.size >= MAX_RESTING;
    const sent = new Set(busy.keys());
    const wanted = { ids: [...underWay.keys()], documents: [...resting.keys()], limit: WINDOW };
    let found = isDown ? [] : await waitingFor(db, name, wanted);
    isWhole = !isDown && found.length < WINDOW && behind.size === 0;
    leftOut = new Set();
    if (found.length === WINDOW && found.some(({ document }) => sent.has(document))) {
      // One that is slow, and has many, does not hold up others.
      leftOut = sent;
      found = await waitingFor(db, name, { ...wanted, documents: [...wanted.documents, ...sent] });
    }
    for (const { document, next, attempts } of found) {
      // What an earlier process waited for; by its clock, which may be ahead.
      const wait = Math.min(next.getTime() - Date.now(), parts.backoff(Math.max(1, attempts)));
      if (wait > 0 && !resting.has(document) && !rested.has(document)) resting.set(document, now + wait);
    }
    ready = found.filter(({ document }) => !resting.has(document));
    if (found.length === WINDOW) isStale = true;
  };

  /** Begins the next delivery of a document that has none under way; false if there is none. */
  const beginNext = (): boolean => {
    const next = ready.find(({ document }) => !busy.has(document) && !resting.has(document));
    if (!next) return false;
    ready = ready.filter((one) => one !== next);
    begin(next);
    return true;
  };

  const isFree = (): boolean => endpoint.disabled === null && !signal.aborted && busy.size < AT_ONCE;

  /** Until something happens, or a document has rested. */
  const idle = (): Promise<void> =>
    new Promise((resolve) => {
      const first = isFree() ? Math.min(...resting.values()) : Number.POSITIVE_INFINITY;
      const timer = Number.isFinite(first)
        ? setTimeout(
            () => {
              isStale = true;
              resolve();
            },
            Math.max(1, first - performance.now()),
          )
        : undefined;
      wakeUp = () => {
        clearTimeout(timer);
        resolve();
      };
    });

  const run = async (): Promise<void> => {
    while (!isStopped) {
      if (isSpillDue) await spill();
      if (isFree() && beginNext()) continue;
      if (isFree() && isStale) await look();
      else await idle();
    }
  };

  const spilling = setInterval(() => {
    isSpillDue = held.size > 0;
    if (isSpillDue) wakeUp();
  }, HELD_FOR);
  const running = (async () => {
    while (!isStopped)
      await run().catch(async (error: unknown) => {
        parts.record({ name: 'webhooks-interrupted', err: error });
        isStale = true;
        await new Promise((resolve) => setTimeout(resolve, PAUSE));
      });
  })();
  return {
    wake,
    async add(deliveries) {
      if (isStale || !isWhole || resting.size > 0 || ready.length >= WINDOW) {
        const [later, others] = apart(deliveries, held.values());
        for (const delivery of later) held.set(delivery._id, delivery);
        await storeDeliveries(db, others, namedAlone);
        return wake();
      }
      for (const delivery of deliveries) held.set(delivery._id, delivery);
      ready = [...ready, ...deliveries];
      wakeUp();
    },
    firstUnstored: () => Math.min(...[...held.values()].map(({ n }) => n)),
    change(next) {
      endpoint = next;
      wake();
    },
    async stop() {
      isStopped = true;
      clearInterval(spilling);
      wakeUp();
      await running;
      await Promise.all(underWay.values());
    },
  };
}
