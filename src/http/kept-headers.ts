import type { AppContext, AppMiddleware } from './context.js';

type Context = Pick<AppContext, 'res' | 'exchange'>;

/**
 * Notes the headers so far: if what follows fails, its error is sent with these, and with none of the headers
 * that belong to the body it would have sent.
 */
export const keepHeaders = ({ res, exchange }: Context): void => {
  exchange.kept = res.getHeaders();
};

/** Restores the headers of the last `keepHeaders`. */
export const restoreHeaders = ({ res, exchange: { kept = {} } }: Context): void => {
  if (res.headersSent) return;
  for (const name of res.getHeaderNames()) if (!(name in kept)) res.removeHeader(name);
  for (const [name, value] of Object.entries(kept)) if (value !== undefined) res.setHeader(name, value);
};

/** Keeps the headers that the middleware before it sets on every answer. */
export const keepingHeaders = (): AppMiddleware => (ctx, next) => {
  keepHeaders(ctx);
  return next();
};
