import { errors } from '../../errors.js';
import type { AppMiddleware } from '../context.js';

const allowedMethods = (matched: unknown): string[] => {
  const layers: readonly { readonly methods: readonly string[] }[] = Array.isArray(matched) ? matched : [];
  const methods = new Set(layers.flatMap((layer) => layer.methods));
  return methods.size > 0 ? [...methods] : ['HEAD', 'GET'];
};

/**
 * Answers requests that no route matches: 404 for GET and HEAD, `Allow` for OPTIONS, otherwise a 405 in plain
 * text, for known and unknown paths alike.
 */
export const unmatched = (): AppMiddleware => (ctx) => {
  const allowed = allowedMethods(ctx['matched']);
  if (ctx.method === 'OPTIONS') {
    ctx.status = 200;
    ctx.body = '';
  } else if (ctx.method === 'GET' || ctx.method === 'HEAD') {
    throw errors.notFound();
  } else {
    ctx.status = 405;
    ctx.body = 'Method Not Allowed';
  }
  ctx.set('Allow', allowed.join(', '));
};
