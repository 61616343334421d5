import type { Config } from '../config/types.js';
import { createChangeId } from '../store/outbox/outbox.js';
import { allowing } from './addresses.js';
import type { Endpoint } from './endpoint.js';
import type { Answered } from './post.js';
import { send } from './send.js';

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
  const { defaultHeaders, allowPrivate } = webhooks;
  const { signal } = new AbortController();
  const options = { defaultHeaders, allows: allowing(allowPrivate), signal };
  return { webhookId, ...(await send(endpoint, { event, webhookId, payload }, options)) };
}
