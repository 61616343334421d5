/** Webhooks of a server: one of its processes at a time queues and sends the deliveries. */
import { setTimeout as sleep } from 'node:timers/promises';
import { settingsOf } from '../store/connection/settings.js';
import { type Lock, whileHolding } from '../store/leases/lock.js';
import { currentPosition } from '../store/outbox/read-changes.js';
import {
  dropDeliveries,
  indexDeliveries,
  type Queued,
  readPosition,
  trimDeliveries,
  writePosition,
} from '../store/webhooks/deliveries.js';
import { storedEndpoints } from '../store/webhooks/endpoints.js';
import { groupBy } from '../values/group.js';
import { allowing } from './addresses.js';
import { checkWebhooks } from './check.js';
import { type Endpoint, endpointsOf } from './endpoint.js';
import { backoffOf, Lane, type LaneParts } from './lane.js';
import type { WebhookParts } from './parts.js';
import { keepConnections } from './post.js';
import { queueChanges } from './queue.js';

export interface Webhooks {
  /** Ends, waiting at most `drainMs` milliseconds for the answers to what has been sent. */
  stop(drainMs: number): Promise<void>;
}

interface RunOptions {
  /** Milliseconds without a sign of life after which another process takes over. */
  readonly lease?: number;
  /** Milliseconds between looks at the endpoints, and at whether somebody else is at work. */
  readonly every?: number;
  /** See `LaneParts`. */
  readonly backoff?: LaneParts['backoff'];
}

/** Milliseconds between deletions of old deliveries. */
const TRIM_EVERY = 600_000;
const DAY = 24 * 3_600_000;

const readEndpoints = async ({ config, store }: WebhookParts): Promise<readonly Endpoint[]> =>
  endpointsOf(config.webhooks.endpoints, await storedEndpoints(store.db));

/** Makes sure that what changes from now on is queued; nothing is missed until a process does so. */
export async function beginQueue({ db }: WebhookParts['store']): Promise<void> {
  if ((await readPosition(db)) === null) await writePosition(db, await currentPosition({ db }));
}

/**
 * Starts webhooks in this process, which waits for its turn if others serve the same content. Returns when nothing
 * that changes from now on is missed.
 * @throws ConfigError for what is wrong with config/webhooks
 */
export async function startWebhooks(
  parts: WebhookParts,
  { lease, every = 5000, backoff = backoffOf }: RunOptions = {},
): Promise<Webhooks> {
  const { db } = parts.store;
  checkWebhooks(parts);
  const [found, position] = await Promise.all([readEndpoints(parts), readPosition(db)]);
  if (found.length > 0) await beginQueue(parts.store);
  // Endpoints that are added later get what changes from then on.
  else if (position !== null) await writePosition(db, null);
  const stopping = new AbortController();
  const abandoning = new AbortController();
  const pause = (): Promise<unknown> =>
    sleep(every, undefined, { signal: stopping.signal }).catch(() => undefined);

  const run = async (): Promise<void> => {
    if ((await readEndpoints(parts)).length === 0) return;
    const place = { documents: settingsOf(db), _id: 'webhooks/lock' };
    await whileHolding(place, { signal: stopping.signal, lease }, work);
  };

  /** Queues and sends until the process stops, the lock is lost, or there are no endpoints any more. */
  const work = async (lock: Lock): Promise<void> => {
    const ending = new AbortController();
    const signal = AbortSignal.any([ending.signal, stopping.signal]);
    // Another process has taken over: what is under way here is sent there.
    const lost = new AbortController();
    const abandon = AbortSignal.any([lost.signal, abandoning.signal]);
    const watch = setInterval(() => {
      if (!lock.lost) return;
      lost.abort();
      ending.abort();
    }, 100);
    const { endpoints: _, allowPrivate, keep, days } = parts.config.webhooks;
    const connections = keepConnections();
    const laneParts: LaneParts = { ...parts, backoff, allows: allowing(allowPrivate), connections };
    const lanes = new Map<string, Lane>();
    let endpoints: readonly Endpoint[] = [];
    let trimmedAt = Number.NEGATIVE_INFINITY;

    /** Opens and closes lanes as the endpoints are now. */
    const look = async (): Promise<void> => {
      endpoints = await readEndpoints(parts);
      for (const endpoint of endpoints) {
        const lane = lanes.get(endpoint.name);
        if (lane) lane.change(endpoint);
        else lanes.set(endpoint.name, new Lane(endpoint, laneParts, abandon));
      }
      for (const [name, lane] of lanes)
        if (!endpoints.some((endpoint) => endpoint.name === name)) {
          lanes.delete(name);
          await lane.stop();
          // What was queued since it was removed.
          await dropDeliveries(db, name);
        }
      if (endpoints.length === 0) {
        await writePosition(db, null);
        ending.abort();
      }
      if (performance.now() - trimmedAt < TRIM_EVERY) return;
      trimmedAt = performance.now();
      await trimDeliveries(db, new Date(Date.now() - days * DAY), keep);
    };

    const looking = async (): Promise<void> => {
      while (!signal.aborted) {
        await sleep(every, undefined, { signal }).catch(() => undefined);
        if (!signal.aborted) await look();
      }
    };
    const senders = {
      async add({ added, known }: Queued): Promise<void> {
        for (const name of known) lanes.get(name)?.wake();
        const own = [...groupBy(added, ({ endpoint }) => endpoint)];
        await Promise.all(own.map(([name, some]) => lanes.get(name)?.add(some)));
      },
      firstUnstored: () => Math.min(...[...lanes.values()].map((lane) => lane.firstUnstored)),
    };
    const queueing = async (): Promise<void> => {
      while (!signal.aborted) {
        await beginQueue(parts.store);
        await queueChanges(parts, () => endpoints, senders, signal);
      }
    };
    const failing = (error: unknown): never => {
      ending.abort();
      throw error;
    };
    try {
      await indexDeliveries(db);
      await look();
      await Promise.all([looking().catch(failing), queueing().catch(failing)]);
    } finally {
      ending.abort();
      await Promise.all([...lanes.values()].map((lane) => lane.stop()));
      connections.close();
      clearInterval(watch);
    }
  };

  const running = (async () => {
    // A small query every five seconds is all that a server without endpoints sends; a change stream would be more.
    if (found.length === 0) await pause();
    while (!stopping.signal.aborted) {
      await run().catch((error: unknown) => {
        if (!stopping.signal.aborted) parts.record({ name: 'webhooks-interrupted', err: error });
      });
      await pause();
    }
  })();
  return {
    async stop(drainMs) {
      stopping.abort();
      const timer = setTimeout(() => abandoning.abort(), drainMs);
      await running;
      clearTimeout(timer);
    },
  };
}
