import type { Identity } from '../access/index.js';
import { requestCaller } from '../project-code/tools.js';
import type { Origin } from '../store/outbox/outbox.js';
import type { RequestContext } from './context.js';

/** Where the writes of a request come from, for the log of changes. */
export const originOf = ({ exchange }: RequestContext, identity: Identity): Origin => ({
  by: requestCaller(identity),
  requestId: exchange.requestId,
});
