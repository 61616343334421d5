import { setTimeout as sleep } from 'node:timers/promises';
import { databaseTime } from '../store/connection/database-time.js';
import { indexDeliveries, trimDeliveries, writePosition } from '../store/webhooks/deliveries.js';
import { allowing } from './addresses.js';
import { readEndpoints } from './endpoint.js';
import type { LaneParts } from './lane.js';
import { Lanes } from './lanes.js';
import type { WebhookParts } from './parts.js';
import { keepConnections } from './post.js';
import { beginQueue, queueChanges } from './queue.js';

/** Milliseconds between deletions of old deliveries. */
const TRIM_EVERY = 600_000;
const DAY = 24 * 3_600_000;

interface DispatcherOptions extends Pick<LaneParts, 'backoff'> {
  /** Milliseconds between looks at the endpoints. */
  readonly every: number;
  /** Begins no more deliveries. */
  readonly stopping: AbortSignal;
  /** Abandons what is under way. */
  readonly abandoning: AbortSignal;
}

/** Queues and sends deliveries, in the one process that has the lock. */
export class Dispatcher {
  private readonly ending = new AbortController();
  private readonly signal: AbortSignal;
  private readonly connections = keepConnections();
  private readonly lanes: Lanes;
  private trimmedAt = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly parts: WebhookParts,
    private readonly options: DispatcherOptions,
  ) {
    const { backoff, stopping, abandoning } = options;
    this.signal = AbortSignal.any([this.ending.signal, stopping]);
    const allows = allowing(parts.config.webhooks.allowPrivate);
    this.lanes = new Lanes({ ...parts, backoff, allows, connections: this.connections }, abandoning);
  }

  /** Until it is stopped, or there are no endpoints any more. */
  async run(): Promise<void> {
    try {
      await indexDeliveries(this.parts.store.db);
      await this.look();
      await Promise.all([this.followEndpoints(), this.queue()]);
    } finally {
      this.ending.abort();
      await this.lanes.stop();
      this.connections.close();
    }
  }

  private async followEndpoints(): Promise<void> {
    const { signal } = this;
    while (!signal.aborted) {
      await sleep(this.options.every, undefined, { signal }).catch(() => undefined);
      if (!signal.aborted) await this.look();
    }
  }

  private async queue(): Promise<void> {
    while (!this.signal.aborted) {
      await beginQueue(this.parts.store);
      await queueChanges(this.parts, this.lanes, this.signal);
    }
  }

  private async look(): Promise<void> {
    const endpoints = await readEndpoints(this.parts);
    await this.lanes.follow(endpoints);
    if (endpoints.length === 0) {
      await writePosition(this.parts.store.db, null);
      this.ending.abort();
    }
    await this.trim();
  }

  /** Deletes old deliveries. */
  private async trim(): Promise<void> {
    if (performance.now() - this.trimmedAt < TRIM_EVERY) return;
    this.trimmedAt = performance.now();
    const { config, store } = this.parts;
    const { keep, days } = config.webhooks;
    // The clock of this process may be wrong, and what it would delete is gone.
    const now = await databaseTime(store.db);
    await trimDeliveries(store.db, new Date(now.getTime() - days * DAY), keep);
  }
}
