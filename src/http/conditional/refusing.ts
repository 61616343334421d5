import { errors } from '../../errors.js';
import type { Controller } from '../context.js';

/** A controller for anything but content. It would ignore a condition, and change something nevertheless: a 400. */
export const refusingConditions =
  (controller: Controller): Controller =>
  (ctx, identity, deps) => {
    const { headers } = ctx;
    if (headers['if-match'] !== undefined)
      throw errors.validation('precondition-unsupported', 'If-Match is supported for content only');
    if (headers['idempotency-key'] !== undefined)
      throw errors.validation('idempotency-key-unsupported', 'Idempotency-Key is supported for content only');
    return controller(ctx, identity, deps);
  };
