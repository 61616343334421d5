import { errors } from '../../errors.js';
import type { RequestContext, Route } from '../context.js';
import type { AppDeps } from '../deps.js';
import { keepPrivate } from '../keep-private.js';
import { keepHeaders } from '../kept-headers.js';

/**
 * Authentication, then authorization, then the controller: an unknown token is a 401 even on a public route,
 * a missing grant is a 403. Routes without an action are open, all others are closed unless granted. A closed
 * route rejects everyone.
 */
export const guard =
  (deps: AppDeps, route: Route) =>
  async (ctx: RequestContext): Promise<void> => {
    const action = route.closed ? null : route.action;
    // Before anything can throw, because errors also depend on the caller.
    ctx.vary('Authorization');
    keepPrivate(ctx);
    keepHeaders(ctx);
    const identity = await deps.access.identify(action === null ? undefined : ctx.get('authorization'));
    ctx.exchange.identity = identity;
    if (action !== null && !identity.grants.allows(action)) throw errors.forbidden();
    await route.controller(ctx, identity, deps);
  };
