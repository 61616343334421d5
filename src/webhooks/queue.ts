/** Queues deliveries: one for each change and endpoint that wants it. */
import { ApiError } from '../errors.js';
import { type Change, currentPosition, readChanges } from '../store/outbox/read-changes.js';
import { type Delivery, queueDeliveries, readPosition, writePosition } from '../store/webhooks/deliveries.js';
import { asTheyCome } from '../values/as-they-come.js';
import { groupBy } from '../values/group.js';
import { type Endpoint, wants } from './endpoint.js';
import { webhookEvent } from './events.js';
import type { WebhookParts } from './parts.js';
import { namedAlone, payloadsOf, projectionKey } from './payload.js';

/** Milliseconds for which a delivery is tried. */
const TRIED_FOR = 24 * 3_600_000;
/** Milliseconds between notes of what has been queued: after a crash, what came later is read again. */
const NOTED_EVERY = 1000;
/** How many changes are queued at once: as many entries may be in memory. */
const AT_ONCE = 50;

/** The deliveries of changes to the endpoints that want them. */
async function deliveriesOf(
  parts: WebhookParts,
  changes: readonly Change[],
  endpoints: readonly Endpoint[],
): Promise<readonly Omit<Delivery, 'n'>[]> {
  const { contentTypes } = parts.schema;
  const wanted = changes.flatMap((change) => {
    const type = contentTypes.get(change.uid);
    const receivers = endpoints.filter((endpoint) => wants(endpoint, change, parts.schema));
    return type ? receivers.map((endpoint) => ({ type, change, endpoint })) : [];
  });
  const payloads = new Map<string, ReadonlyMap<Change, string>>();
  for (const [key, [first, ...others]] of groupBy(wanted, ({ endpoint }) => projectionKey(endpoint)))
    if (first) payloads.set(key, await payloadsOf(parts, [first, ...others], first.endpoint));
  const now = new Date();
  return wanted.map(({ change, endpoint }): Omit<Delivery, 'n'> => {
    const { changeId, uid, documentId, locale, at } = change;
    return {
      _id: `${changeId}/${endpoint.name}`,
      endpoint: endpoint.name,
      document: `${uid}/${documentId}`,
      event: webhookEvent(change),
      uid,
      documentId,
      locale,
      webhookId: `msg_${changeId}`,
      payload: payloads.get(projectionKey(endpoint))?.get(change) ?? '',
      state: 'pending',
      attempts: 0,
      next: now,
      changedAt: at,
      until: new Date(now.getTime() + TRIED_FOR),
      endedAt: null,
      last: null,
    };
  });
}

/** Makes sure that what changes from now on is queued; nothing is missed until a process does so. */
export async function beginQueue({ db }: WebhookParts['store']): Promise<void> {
  if ((await readPosition(db)) === null) await writePosition(db, await currentPosition({ db }));
}

/** Who sends the deliveries. */
interface Senders {
  /** Those of the moment. */
  readonly endpoints: readonly Endpoint[];
  /** There are new deliveries to these endpoints. */
  wake(names: Iterable<string>): void;
}

/** Queues the deliveries of all changes from where the last process stopped, until the signal. */
export async function queueChanges(
  parts: WebhookParts,
  senders: Senders,
  signal: AbortSignal,
): Promise<void> {
  const { db } = parts.store;
  const begun = await readPosition(db);
  let [queued, noted] = [begun, begun];
  const note = async (): Promise<void> => {
    const position = queued;
    if (position === noted) return;
    await writePosition(db, position);
    noted = position;
  };
  const timer = setInterval(() => void note().catch(() => undefined), NOTED_EVERY);
  try {
    for await (const changes of asTheyCome(readChanges(parts.store, { after: begun, signal }), AT_ONCE)) {
      const made = await deliveriesOf(parts, changes, senders.endpoints);
      await queueDeliveries(db, made, namedAlone);
      queued = changes.at(-1)?.position ?? queued;
      senders.wake(new Set(made.map(({ endpoint }) => endpoint)));
    }
    await note();
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'position-lost') throw error;
    // What is gone cannot be delivered; the next reader begins from now.
    await writePosition(db, null);
    parts.record({ name: 'webhooks-behind' });
  } finally {
    clearInterval(timer);
  }
}
