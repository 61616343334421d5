import type { Context } from 'koa';

/** What one caller may see must not be stored for others by anything in between. */
export const keepPrivate = (ctx: Pick<Context, 'get' | 'set'>): void => {
  if (ctx.get('authorization') !== '' || ctx.get('cookie') !== '')
    ctx.set('Cache-Control', 'private, no-store');
};
