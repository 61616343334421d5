/** Webhooks of a server: one of its processes at a time queues and sends the deliveries. */
import { setTimeout as sleep } from 'node:timers/promises';
import { settingsOf } from '../store/connection/settings.js';
import { type Lock, whileHolding } from '../store/leases/lock.js';
import { readPosition, writePosition } from '../store/webhooks/deliveries.js';
import { checkWebhooks } from './check.js';
import { Dispatcher } from './dispatcher.js';
import { readEndpoints } from './endpoint.js';
import { backoffOf, type LaneParts } from './lane.js';
import type { WebhookParts } from './parts.js';
import { beginQueue } from './queue.js';

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

  const dispatch = async (lock: Lock): Promise<void> => {
    // Another process has taken over: what is under way here is sent there.
    const lost = new AbortController();
    const watch = setInterval(() => {
      if (lock.lost) lost.abort();
    }, 100);
    const signals = {
      stopping: AbortSignal.any([lost.signal, stopping.signal]),
      abandoning: AbortSignal.any([lost.signal, abandoning.signal]),
    };
    const dispatcher = new Dispatcher(parts, { every, backoff, ...signals });
    await dispatcher.run().finally(() => clearInterval(watch));
  };

  const run = async (): Promise<void> => {
    if ((await readEndpoints(parts)).length === 0) return;
    const place = { documents: settingsOf(db), _id: 'webhooks/lock' };
    await whileHolding(place, { signal: stopping.signal, lease }, dispatch);
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
