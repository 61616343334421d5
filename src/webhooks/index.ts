/** Webhooks: changes of content, sent to other programs as they are committed (docs/in-time.md). */
export { allowing, literalAddress } from './addresses.js';
export { projectionProblems, webhookProblems } from './check.js';
export { type Endpoint, endpointProblems, endpointsOf, readEndpoints } from './endpoint.js';
export { namedAlone } from './payload.js';
export { beginQueue } from './queue.js';
export { startWebhooks, type Webhooks } from './run.js';
export { newSecret } from './signature.js';
export { testEndpoint } from './test-delivery.js';
