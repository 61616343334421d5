import { errors } from '../../errors.js';
import type { Controller } from '../context.js';

const UNSUPPORTED = {
  'if-match': () => errors.validation('precondition-unsupported', 'If-Match is supported for content only'),
  'idempotency-key': () =>
    errors.validation('idempotency-key-unsupported', 'Idempotency-Key is supported for content only'),
} as const;

type Condition = keyof typeof UNSUPPORTED;

/**
 * A controller for anything but content. It would ignore a condition, and change something nevertheless: a 400.
 * @param takes the condition that it knows
 */
const refusing =
  (takes: Condition | null) =>
  (controller: Controller): Controller =>
  (ctx, identity, deps) => {
    for (const [header, refusal] of Object.entries(UNSUPPORTED))
      if (header !== takes && ctx.headers[header] !== undefined) throw refusal();
    return controller(ctx, identity, deps);
  };

export const refusingConditions = refusing(null);

/** For a batch, which may have an `Idempotency-Key`. */
export const refusingIfMatch = refusing('idempotency-key');
