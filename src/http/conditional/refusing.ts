import { errors } from '../../errors.js';
import type { Route } from '../context.js';

/** A route for anything but content. It would ignore a condition, and change something nevertheless: that is a 400. */
export const refusingConditions = (route: Route): Route =>
  route.method === 'get'
    ? route
    : {
        ...route,
        controller: (ctx, identity, deps) => {
          const { headers } = ctx;
          if (headers['if-match'] !== undefined)
            throw errors.validation('precondition-unsupported', 'If-Match is supported for content only');
          if (headers['idempotency-key'] !== undefined)
            throw errors.validation(
              'idempotency-key-unsupported',
              'Idempotency-Key is supported for content only',
            );
          return route.controller(ctx, identity, deps);
        },
      };
