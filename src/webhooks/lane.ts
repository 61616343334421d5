import { setTimeout as sleep } from 'node:timers/promises';
import { type Delivery, noteOutcomes, type Outcome, waitingFor } from '../store/webhooks/deliveries.js';
import { setDisabled } from '../store/webhooks/endpoints.js';
import { gathered } from '../values/gathered.js';
import type { Allows } from './addresses.js';
import type { Endpoint } from './endpoint.js';
import type { WebhookParts } from './parts.js';
import type { KeptConnections } from './post.js';
import { send } from './send.js';

/** Deliveries of one endpoint that are under way at the same time, as in Strapi. */
const AT_ONCE = 5;
/** How many waiting deliveries are read at once. */
const WINDOW = 50;
/** How many documents may wait for another attempt until no others are tried: the endpoint is down. */
const MAX_RESTING = 1000;
/** Milliseconds between two times that outcomes are stored. */
const NOTED_EVERY = 50;
/** Milliseconds until what the database refused is tried again. */
const PAUSE = 1000;
const GONE = 410;

/** Milliseconds until the next attempt, by the number of attempts made: 5 s, doubled each time, up to an hour. */
export const backoffOf = (attempts: number): number =>
  Math.min(5000 * 2 ** (attempts - 1), 3_600_000) * (0.9 + Math.random() * 0.2);

export interface LaneParts extends WebhookParts {
  /** Milliseconds until the next attempt, by the number of attempts made. */
  readonly backoff: (attempts: number) => number;
  readonly allows: Allows;
  readonly connections: KeptConnections;
}

/** Sends the deliveries of one endpoint: those of a document one after the other, those of several at the same time. */
export class Lane {
  private isStopped = false;
  /** Whether the database may have deliveries that could be sent and are not in `ready`. */
  private isStale = true;
  /** In order; several may be of one document. */
  private ready: readonly Delivery[] = [];
  /** Documents of which a delivery is sent, and which one. */
  private readonly busy = new Map<string, string>();
  /** Deliveries that are sent, or whose outcome is not stored yet. */
  private readonly underWay = new Map<string, Promise<void>>();
  /** Documents whose first delivery is tried again, and when. */
  private readonly resting = new Map<string, number>();
  /** Documents that the last look left out. */
  private leftOut: ReadonlySet<string> = new Set();
  private wakeUp: () => void = () => undefined;
  private readonly note: (outcome: Outcome) => Promise<void>;
  private readonly running: Promise<void>;

  /** @param signal abandons what is under way; it is sent again by the next process */
  constructor(
    private endpoint: Endpoint,
    private readonly parts: LaneParts,
    private readonly signal: AbortSignal,
  ) {
    this.note = gathered((outcomes) => noteOutcomes(parts.store.db, outcomes), NOTED_EVERY);
    this.running = this.run();
  }

  /** There may be deliveries that it does not know. */
  wake(): void {
    this.isStale = true;
    this.wakeUp();
  }

  /** The endpoint as it is now. */
  change(endpoint: Endpoint): void {
    this.endpoint = endpoint;
    this.wake();
  }

  /** Begins no more deliveries, and waits for those that are under way until the signal abandons them. */
  async stop(): Promise<void> {
    this.isStopped = true;
    this.wakeUp();
    await this.running;
    await Promise.all(this.underWay.values());
  }

  private async run(): Promise<void> {
    while (!this.isStopped)
      await this.proceed().catch(async (error: unknown) => {
        this.parts.record({ name: 'webhooks-interrupted', err: error });
        this.isStale = true;
        await sleep(PAUSE);
      });
  }

  private async proceed(): Promise<void> {
    while (!this.isStopped) {
      if (this.isFree && this.beginNext()) continue;
      if (this.isFree && this.isStale) await this.look();
      else await this.idle();
    }
  }

  private get isFree(): boolean {
    return this.endpoint.disabled === null && !this.signal.aborted && this.busy.size < AT_ONCE;
  }

  /** Until something happens, or a document has rested. */
  private idle(): Promise<void> {
    return new Promise((resolve) => {
      const first = this.isFree ? Math.min(...this.resting.values()) : Number.POSITIVE_INFINITY;
      const rested = () => {
        this.isStale = true;
        resolve();
      };
      const timer = Number.isFinite(first)
        ? setTimeout(rested, Math.max(1, first - performance.now()))
        : undefined;
      this.wakeUp = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  /** Reads what can be sent next. */
  private async look(): Promise<void> {
    this.isStale = false;
    // If the database cannot be asked, what comes first of a document that has rested is unknown.
    this.ready = [];
    const now = performance.now();
    const rested = new Set(
      [...this.resting].filter(([, until]) => until <= now).map(([document]) => document),
    );
    for (const document of rested) this.resting.delete(document);
    const found = await this.readWaiting();
    for (const { document, next, attempts } of found) {
      // What an earlier process waited for; by its clock, which may be ahead.
      const wait = Math.min(next.getTime() - Date.now(), this.parts.backoff(Math.max(1, attempts)));
      if (wait > 0 && !this.resting.has(document) && !rested.has(document))
        this.resting.set(document, now + wait);
    }
    this.ready = found.filter(({ document }) => !this.resting.has(document));
    if (found.length === WINDOW) this.isStale = true;
  }

  /** The first stored deliveries of documents that do not rest. */
  private async readWaiting(): Promise<readonly Delivery[]> {
    const read = (documents: readonly string[]): Promise<readonly Delivery[]> =>
      waitingFor(this.parts.store.db, this.endpoint.name, { ids, documents, limit: WINDOW });
    const isDown = this.resting.size >= MAX_RESTING;
    const sent = new Set(this.busy.keys());
    const [ids, resting] = [[...this.underWay.keys()], [...this.resting.keys()]];
    const found = isDown ? [] : await read(resting);
    // One that is slow, and has many, does not hold up others.
    const isHeldUp = found.length === WINDOW && found.some(({ document }) => sent.has(document));
    this.leftOut = isHeldUp ? sent : new Set();
    return isHeldUp ? read([...resting, ...sent]) : found;
  }

  /** Begins the next delivery of a document that has none under way; false if there is none. */
  private beginNext(): boolean {
    const next = this.ready.find(({ document }) => !this.busy.has(document) && !this.resting.has(document));
    if (!next) return false;
    this.ready = this.ready.filter((one) => one !== next);
    this.begin(next);
    return true;
  }

  private begin(delivery: Delivery): void {
    const { _id, document } = delivery;
    this.busy.set(document, _id);
    const done = this.attempt(delivery)
      .catch((error: unknown) => {
        this.parts.record({ name: 'webhooks-interrupted', err: error });
        this.resting.set(document, performance.now() + PAUSE);
        this.free(delivery);
      })
      .finally(() => this.underWay.delete(_id));
    this.underWay.set(_id, done);
  }

  /** Another delivery of its document may be sent. */
  private free({ _id, document }: Delivery): void {
    if (this.busy.get(document) !== _id) return;
    this.busy.delete(document);
    if (this.leftOut.has(document)) this.isStale = true;
    this.wakeUp();
  }

  /** Sends a delivery and stores what came of it. */
  private async attempt(delivery: Delivery): Promise<void> {
    const { endpoint, signal } = this;
    const { allows, connections, config, record } = this.parts;
    const { defaultHeaders } = config.webhooks;
    const answered = await send(endpoint, delivery, { defaultHeaders, allows, signal, connections });
    // Nobody knows what came of it.
    if (signal.aborted) return;
    const { status, ms, error } = answered;
    const attempted = { endpoint: endpoint.name, event: delivery.event, status: status ?? 0, ms };
    record({ name: 'webhook-attempted', ...attempted, reason: error ?? '' });
    const last = { at: new Date(), ...answered };
    if (status !== null && status >= 200 && status < 300) await this.delivered(delivery, last);
    else if (status === GONE) await this.gone(delivery, last);
    else await this.failed(delivery, last);
  }

  private async delivered(delivery: Delivery, last: Outcome['last']): Promise<void> {
    // The next one of the document need not wait until this is stored: if it never is, both are sent again.
    this.free(delivery);
    // The clock of the process that made the change may be ahead.
    const ms = Math.max(0, last.at.getTime() - delivery.changedAt.getTime());
    this.parts.record({ name: 'webhook-delivered', endpoint: this.endpoint.name, ms });
    await this.note({ _id: delivery._id, last, after: { state: 'delivered' } });
  }

  /** Its receiver wants no deliveries any more. */
  private async gone(delivery: Delivery, last: Outcome['last']): Promise<void> {
    const { name } = this.endpoint;
    const reason = 'the receiver answered 410 Gone';
    await setDisabled(this.parts.store.db, name, { at: last.at, reason });
    this.endpoint = { ...this.endpoint, disabled: reason };
    this.parts.record({ name: 'webhook-disabled', endpoint: name });
    await this.note({ _id: delivery._id, last, after: { state: 'failed' } });
    this.free(delivery);
  }

  /** Lets its document rest until the next attempt, or gives up. */
  private async failed(delivery: Delivery, last: Outcome['last']): Promise<void> {
    const { _id, document, until, attempts } = delivery;
    const { backoff, record } = this.parts;
    if (last.at >= until) {
      await this.note({ _id: delivery._id, last, after: { state: 'failed' } });
      record({ name: 'webhook-given-up', endpoint: this.endpoint.name, delivery: _id });
    } else {
      const wait = backoff(attempts + 1);
      await this.note({ _id: delivery._id, last, after: { next: new Date(last.at.getTime() + wait) } });
      // From now on, so that what is looked for then is stored.
      this.resting.set(document, performance.now() + wait);
    }
    this.free(delivery);
  }
}
