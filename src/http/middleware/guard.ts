import type { Identity } from '../../access/index.js';
import { ApiError, errors } from '../../errors.js';
import type { RequestContext, Route } from '../context.js';
import type { AppDeps } from '../deps.js';
import { keepPrivate } from '../keep-private.js';
import { keepHeaders } from '../kept-headers.js';
import { answerWith } from './errors.js';

/**
 * Authentication, then authorization, then the controller: an unknown token is a 401 even on a public route,
 * a missing grant is a 403. Routes without an action are open, all others are closed unless granted. A closed
 * route rejects everyone.
 */
export const guard = (deps: AppDeps, route: Route) => {
  const action = route.closed ? null : route.action;
  const enter = async (ctx: RequestContext): Promise<Identity> => {
    const identity = await deps.access.identify(action === null ? undefined : ctx.get('authorization'));
    ctx.exchange.identity = identity;
    if (action !== null && !identity.grants.allows(action)) throw errors.forbidden();
    return identity;
  };
  return async (ctx: RequestContext): Promise<void> => {
    // Before anything can throw, because errors also depend on the caller.
    ctx.vary('Authorization');
    keepPrivate(ctx);
    keepHeaders(ctx);
    let identity: Identity;
    try {
      identity = await enter(ctx);
    } catch (error) {
      if (deps.code.running === null || !isRefusal(error)) throw error;
      // To global middlewares of a Strapi project it is an answer, which they may change.
      answerWith(ctx, error, deps.config.rest.compat);
      return;
    }
    await route.controller(ctx, identity, deps);
  };
};

const isRefusal = (error: unknown): boolean =>
  error instanceof ApiError && (error.status === 401 || error.status === 403);
