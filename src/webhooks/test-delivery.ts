import type { Config } from '../config/types.js';
import { createChangeId } from '../store/outbox/outbox.js';
import { allowing } from './addresses.js';
import type { Endpoint } from './endpoint.js';
import { headersOf } from './lane.js';
import { type Answered, post } from './post.js';

export interface Tested extends Answered {
  readonly webhookId: string;
}

/** Sends an endpoint an event that is about nothing, signed like all others. */
export async function testEndpoint(
  endpoint: Endpoint,
  { webhooks }: Pick<Config, 'webhooks'>,
): Promise<Tested> {
  const event = 'trigger-test';
  const payload = JSON.stringify({ event, createdAt: new Date().toISOString() });
  const webhookId = `msg_${createChangeId()}`;
  const headers = headersOf(endpoint, webhooks.defaultHeaders, { event, webhookId, payload });
  const { signal } = new AbortController();
  const allows = allowing(webhooks.allowPrivate);
  return { webhookId, ...(await post({ url: endpoint.url, headers, payload, allows, signal })) };
}
