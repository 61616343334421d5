import { errors } from '../errors.js';
import { callerOf } from '../limits/caller-of.js';
import { objectAt, textOf } from '../values/plain-object.js';
import type { Live } from './live.js';
import type { CodeContext, Next } from './types.js';
import { refuse } from './unsupported.js';

/**
 * `plugin::users-permissions.rateLimit`, for a project's own routes: each has the limits of `config/plugins`, by the
 * address of the client and the `email` of the body.
 */
export const rateLimit =
  (live: () => Live) =>
  (config: unknown) =>
  async (ctx: CodeContext & { readonly ip: string }, next: Next): Promise<unknown> => {
    if (Object.keys(objectAt(config)).length > 0)
      refuse('the configuration of plugin::users-permissions.rateLimit');
    const count = live().access.countSignInAttempt;
    const route = `${ctx.method} ${ctx.path.toLowerCase()}`;
    // An address of its own: what is asked here does not keep anybody from signing in.
    const address = `${callerOf(ctx.ip)} on ${route}`;
    const identifier = textOf(objectAt(ctx.request.body)['email']);
    if (count && !(await count({ route, address, identifier }))) throw errors.rateLimited();
    return next();
  };
