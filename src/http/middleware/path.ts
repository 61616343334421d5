import type { AppMiddleware } from '../context.js';

const decodes = (path: string): boolean => {
  try {
    decodeURIComponent(path);
    return true;
  } catch {
    return false;
  }
};

class BadRequestError extends Error {
  override readonly name = 'BadRequestError';
  readonly status = 400;
}

/** Rejects reads of a path with a malformed percent escape before any route, with Strapi's message. */
export const checkPath = (): AppMiddleware => (ctx, next) => {
  const reads = ctx.method === 'GET' || ctx.method === 'HEAD';
  if (reads && ctx.path.includes('%') && !decodes(ctx.path)) throw new BadRequestError('failed to decode');
  return next();
};
