/** Sends the deliveries of one endpoint: those of a document one after the other, those of several at the same time. */
import {
  type Delivery,
  findDelivery,
  noteAttempt,
  type Waiting,
  waitingFor,
} from '../store/webhooks/deliveries.js';
import { setDisabled } from '../store/webhooks/endpoints.js';
import type { Allows } from './addresses.js';
import type { Endpoint } from './endpoint.js';
import type { WebhookParts } from './parts.js';
import { type Answered, post } from './post.js';
import { signed } from './signature.js';

/** Deliveries of one endpoint that are under way at the same time, as in Strapi. */
const AT_ONCE = 5;
/** How many waiting deliveries are looked at. */
const WINDOW = 1000;
/** Milliseconds after which others' deliveries (of `mangrove webhook replay`) are looked for. */
const LOOK_EVERY = 1000;
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

export interface LaneParts extends WebhookParts {
  /** Milliseconds until the next attempt, by the number of attempts made. */
  readonly backoff: (attempts: number) => number;
  readonly allows: Allows;
}

export interface Lane {
  /** There are new deliveries. */
  wake(): void;
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
  let isStale = true;
  let waiting: readonly Waiting[] = [];
  const busy = new Map<string, Promise<void>>();
  let wakeUp: () => void = () => undefined;

  const record = (delivery: Delivery, { status, ms, error }: Answered): void =>
    parts.record({
      name: 'webhook-attempted',
      endpoint: name,
      event: delivery.event,
      status: status ?? 0,
      ms,
      reason: error ?? '',
    });

  /** Attempts a delivery; returns when it may be attempted again, or null if it has ended. */
  const attempt = async (_id: string): Promise<Date | null> => {
    const delivery = await findDelivery(db, _id);
    if (delivery?.state !== 'pending') return null;
    const { payload, until, changedAt, next: notBefore } = delivery;
    if (notBefore.getTime() > Date.now()) return notBefore;
    const headers = headersOf(endpoint, parts.config.webhooks.defaultHeaders, delivery);
    const answered = await post({ url: endpoint.url, headers, payload, allows: parts.allows, signal });
    // Nobody knows what came of it.
    if (signal.aborted) return null;
    record(delivery, answered);
    const { status } = answered;
    const at = new Date();
    const last = { at, ...answered };
    const attempts = delivery.attempts + 1;
    if (status !== null && status >= 200 && status < 300) {
      await noteAttempt(db, _id, last, { state: 'delivered' });
      parts.record({ name: 'webhook-delivered', endpoint: name, ms: at.getTime() - changedAt.getTime() });
      return null;
    }
    if (status === GONE) {
      const reason = 'the receiver answered 410 Gone';
      await setDisabled(db, name, { at, reason });
      endpoint = { ...endpoint, disabled: reason };
      parts.record({ name: 'webhook-disabled', endpoint: name });
    }
    if (status === GONE || at >= until) {
      await noteAttempt(db, _id, last, { state: 'failed' });
      if (status !== GONE) parts.record({ name: 'webhook-given-up', endpoint: name, delivery: _id });
      return null;
    }
    const next = new Date(at.getTime() + parts.backoff(attempts));
    await noteAttempt(db, _id, last, { next });
    return next;
  };

  const begin = ({ _id, document }: Waiting): void => {
    const done = attempt(_id)
      .then((next) => {
        waiting = waiting.flatMap((one) => {
          if (one._id !== _id) return [one];
          return next ? [{ ...one, next }] : [];
        });
      })
      .catch((error: unknown) => {
        isStale = true;
        parts.record({ name: 'webhooks-interrupted', err: error });
        // It is tried again when the deliveries are looked for next.
        return new Promise<void>((resolve) => setTimeout(resolve, LOOK_EVERY));
      })
      .finally(() => {
        busy.delete(document);
        wakeUp();
      });
    busy.set(document, done);
  };

  /** The first delivery of each document. */
  const heads = (): Waiting[] => {
    const seen = new Set<string>();
    return waiting.filter(({ document }) => !seen.has(document) && seen.add(document));
  };

  const run = async (): Promise<void> => {
    let lookedAt = 0;
    while (!isStopped) {
      if (isStale || performance.now() - lookedAt >= LOOK_EVERY) {
        isStale = false;
        lookedAt = performance.now();
        waiting = await waitingFor(db, name, WINDOW);
      }
      const now = Date.now();
      const due = heads().filter(({ document, next }) => !busy.has(document) && next.getTime() <= now);
      if (endpoint.disabled === null)
        for (const one of due.slice(0, AT_ONCE - busy.size)) if (!isStopped) begin(one);
      if (isStale) continue;
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, LOOK_EVERY);
        wakeUp = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
  };

  const running = (async () => {
    while (!isStopped)
      await run().catch(async (error: unknown) => {
        parts.record({ name: 'webhooks-interrupted', err: error });
        await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY));
      });
  })();
  return {
    wake() {
      isStale = true;
      wakeUp();
    },
    change(next) {
      endpoint = next;
      wakeUp();
    },
    async stop() {
      isStopped = true;
      wakeUp();
      await running;
      await Promise.all(busy.values());
    },
  };
}
