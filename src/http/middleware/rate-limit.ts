import { errors } from '../../errors.js';
import { callerOf } from '../../limits/caller-of.js';
import { objectAt, textOf } from '../../values/plain-object.js';
import type { Controller, RequestContext } from '../context.js';

/** The account of an attempt, from the one field that this route reads. */
const identifierOf = (ctx: RequestContext, field: string | null): string | null =>
  field === null ? null : textOf(objectAt(ctx.request.body)[field]);

/**
 * Counts attempts by route, address and account. The route is identified by its pattern rather than the path,
 * and only by the field it reads, so that changing case, adding a slash or adding an `email` does not give a
 * new key (CVE-2025-64526). Throws a 429.
 */
export const limitSignInAttempts =
  (field: string | null, controller: Controller): Controller =>
  async (ctx, identity, deps) => {
    const { countSignInAttempt } = deps.access;
    const route = `${ctx.method} ${String(ctx._matchedRoute)}`;
    if (
      countSignInAttempt &&
      !(await countSignInAttempt({ route, address: callerOf(ctx.ip), identifier: identifierOf(ctx, field) }))
    )
      throw errors.rateLimited();
    await controller(ctx, identity, deps);
  };
