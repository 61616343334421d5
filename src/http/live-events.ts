import type { Identity } from '../access/index.js';
import { errors } from '../errors.js';
import type { LiveRead } from '../live/index.js';
import { wantsV4 } from './content-request.js';
import type { RequestContext } from './context.js';
import type { AppDeps } from './deps.js';
import { isShownToCode } from './lazy-body.js';

const EVENTS = 'text/event-stream';

/** Whether the client prefers a stream of events to JSON. */
export const wantsEvents = (ctx: RequestContext): boolean =>
  ctx.method === 'GET' && ctx.get('accept').includes(EVENTS) && ctx.accepts('json', EVENTS) === EVENTS;

interface EventsOptions {
  readonly identity: Identity;
  readonly deps: AppDeps;
  readonly read: Pick<LiveRead, 'type' | 'action' | 'of'>;
}

/** Answers a read with a stream of events. Throws a 406 if the answer would not be the one that a plain read has. */
export async function streamEvents(
  ctx: RequestContext,
  { identity, deps, read }: EventsOptions,
): Promise<void> {
  if (deps.config.rest.compat !== null) throw errors.notLive('rest.compat is set');
  const { exchange, res } = ctx;
  // Such code also changes the caller, or has routes with actions of their own.
  const isOfCode = isShownToCode(ctx, deps) || identity !== exchange.identity;
  if (isOfCode || !identity.grants.allows(read.action))
    throw errors.notLive('code of the project answers it');
  const stream = await deps.live.open({
    read: { ...read, query: exchange.query, v4: wantsV4(ctx), budget: exchange.budget },
    caller: identity,
    authorization: ctx.get('authorization'),
    lastEventId: ctx.get('last-event-id'),
    inResponse: () => res.writableLength,
  });
  res.on('drain', stream.drained);
  exchange.isStream = true;
  ctx.set('Content-Type', `${EVENTS}; charset=utf-8`);
  ctx.set('Cache-Control', 'private, no-store');
  // Proxies that collect an answer before they pass it on would hold back the events.
  ctx.set('X-Accel-Buffering', 'no');
  ctx.body = stream.body;
}
