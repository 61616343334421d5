/** Queues deliveries: one for each change and endpoint that wants it. */

import { ApiError } from '../errors.js';
import type { Change } from '../store/outbox/read-changes.js';
import { readChanges } from '../store/outbox/read-changes.js';
import { type Delivery, queueDeliveries, readPosition, writePosition } from '../store/webhooks/deliveries.js';
import { memberOf } from '../values/once-per.js';
import { type Endpoint, wants } from './endpoint.js';
import { webhookEvent } from './events.js';
import type { WebhookParts } from './parts.js';
import { payloadOf, projectionKey } from './payload.js';

/** Milliseconds for which a delivery is tried. */
export const TRIED_FOR = 24 * 3_600_000;
/** Milliseconds between notes of what has been queued: after a crash, that is found to be queued already. */
const NOTED_EVERY = 1000;

type Queued = Omit<Delivery, 'n'>;

/** The deliveries of a change. */
async function deliveriesOf(
  parts: WebhookParts,
  change: Change,
  endpoints: readonly Endpoint[],
): Promise<readonly Queued[]> {
  const type = parts.schema.contentTypes.get(change.uid);
  if (!type) return [];
  const payloads = new Map<string, Promise<string>>();
  const { changeId, uid, documentId, locale, at } = change;
  const now = new Date();
  return Promise.all(
    endpoints.map(async (endpoint): Promise<Queued> => {
      const payload = await memberOf(payloads, projectionKey(endpoint), () =>
        payloadOf(parts, type, change, endpoint),
      );
      return {
        _id: `${changeId}/${endpoint.name}`,
        endpoint: endpoint.name,
        document: `${uid}/${documentId}`,
        event: webhookEvent(change),
        uid,
        documentId,
        locale,
        webhookId: `msg_${changeId}`,
        payload,
        state: 'pending',
        attempts: 0,
        next: now,
        changedAt: at,
        until: new Date(now.getTime() + TRIED_FOR),
        endedAt: null,
        last: null,
      };
    }),
  );
}

/**
 * Queues the deliveries of all changes from where the last process stopped, until the signal.
 * @param endpoints those of the moment
 * @param queued called with the names of endpoints that have new deliveries
 */
export async function queueChanges(
  parts: WebhookParts,
  endpoints: () => readonly Endpoint[],
  queued: (names: readonly string[]) => void,
  signal: AbortSignal,
): Promise<void> {
  const { db } = parts.store;
  let position = await readPosition(db);
  let noted = position;
  const note = async (): Promise<void> => {
    if (position === noted) return;
    noted = position;
    await writePosition(db, position);
  };
  const timer = setInterval(() => void note().catch(() => undefined), NOTED_EVERY);
  try {
    for await (const change of readChanges(parts.store, { after: position, signal })) {
      const wanting = endpoints().filter((endpoint) => wants(endpoint, change, parts.schema));
      if (wanting.length > 0) {
        await queueDeliveries(db, await deliveriesOf(parts, change, wanting));
        queued(wanting.map(({ name }) => name));
      }
      position = change.position;
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
