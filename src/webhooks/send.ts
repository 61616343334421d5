import type { Delivery } from '../store/webhooks/deliveries.js';
import type { Endpoint } from './endpoint.js';
import { type Answered, type PostOptions, post } from './post.js';
import { signed } from './signature.js';

interface SendOptions extends Pick<PostOptions, 'allows' | 'signal' | 'connections'> {
  /** Of every endpoint. */
  readonly defaultHeaders: Readonly<Record<string, string>>;
}

/** Sends a delivery to its endpoint, signed now. */
export function send(
  { url, headers, secrets }: Endpoint,
  { event, webhookId, payload }: Pick<Delivery, 'event' | 'webhookId' | 'payload'>,
  { defaultHeaders, ...options }: SendOptions,
): Promise<Answered> {
  // Those of the endpoint come before Mangrove's own.
  const all = {
    'user-agent': 'Mangrove',
    ...lowered(defaultHeaders),
    ...lowered(headers),
    'x-strapi-event': event,
    ...signed({ id: webhookId, timestamp: Math.floor(Date.now() / 1000), payload }, secrets),
  };
  return post({ url, headers: all, payload, ...options });
}

const lowered = (headers: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
