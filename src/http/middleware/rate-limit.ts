import { errors } from '../../errors.js';
import { callerOf } from '../../limits/caller-of.js';
import { objectAt, textOf } from '../../values/plain-object.js';
import type { Controller, RequestContext } from '../context.js';

/** The account of an attempt: only the field that this route reads. */
const identifierOf = (ctx: RequestContext, field: string | null): string | null =>
  field === null ? null : textOf(objectAt(ctx.request.body)[field]);

/**
 * Counts attempts by route, address and account (rules H.3). The route is its pattern, not the caller's spelling of the path, and
 * fields that the route does not read count for nothing, so neither case, a slash nor an extra `email` yields a new key
 * (CVE-2025-64526). Throws 429.
 */
export const limitTries =
  (field: string | null, controller: Controller): Controller =>
  async (ctx, identity, deps) => {
    const { tries } = deps.access;
    const route = `${ctx.method} ${String(ctx._matchedRoute)}`;
    if (tries && !(await tries({ route, address: callerOf(ctx.ip), identifier: identifierOf(ctx, field) })))
      throw errors.rateLimited();
    await controller(ctx, identity, deps);
  };
