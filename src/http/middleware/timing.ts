import type { AppMiddleware } from '../context.js';

/** `Server-Timing` with the steps that controllers noted in `ctx.state.timings`. Switched on by `server.timing`. */
export const serverTiming = (): AppMiddleware => async (ctx, next) => {
  const start = performance.now();
  await next();
  const steps = [...ctx.state.timings, ['total', performance.now() - start] as const];
  ctx.set('Server-Timing', steps.map(([name, ms]) => `${name};dur=${ms.toFixed(1)}`).join(', '));
};
