import { errors } from '../../errors.js';
import type { Controller } from '../context.js';

const REFUSALS = {
  'if-match': () => errors.validation('precondition-unsupported', 'If-Match is supported for content only'),
  'if-none-match': () =>
    errors.validation('precondition-unsupported', 'If-None-Match is not supported for batches'),
  'idempotency-key': () =>
    errors.validation('idempotency-key-unsupported', 'Idempotency-Key is supported for content only'),
} as const;

/** A controller that would ignore a condition, and change something nevertheless: a 400. */
const refusing =
  (...conditions: readonly (keyof typeof REFUSALS)[]) =>
  (controller: Controller): Controller =>
  (ctx, identity, deps) => {
    for (const header of conditions) if (ctx.headers[header] !== undefined) throw REFUSALS[header]();
    return controller(ctx, identity, deps);
  };

/** For anything but content. */
export const refusingConditions = refusing('if-match', 'idempotency-key');

/** For a batch, which may have an `Idempotency-Key`. */
export const refusingPreconditions = refusing('if-match', 'if-none-match');
