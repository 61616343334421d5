import type { Budget, BudgetLimits } from '../../limits/budget.js';
import { createGate } from '../../limits/gate.js';
import type { AppMiddleware } from '../context.js';

/** Reads that may wait for heavy ones before them; more are told to come back later. */
const MAX_WAITING = 200;

/** The caller hung up: what is still running for it ends, and nobody is told. */
const gone = (): Error => Object.assign(new Error('The caller has gone'), { code: 'ECONNABORTED' });

/** Gives each request its budget: limits on what it reads and shows, and a signal that ends its work when the caller goes. */
export const budgets = (limits: BudgetLimits, heavyAtOnce: number): AppMiddleware => {
  const heavy = createGate({ atOnce: heavyAtOnce, maxWaiting: MAX_WAITING });
  return (ctx, next) => {
    const controller = new AbortController();
    ctx.res.once('close', () => {
      if (!ctx.res.writableFinished) controller.abort(gone());
    });
    const budget: Budget = { limits, signal: controller.signal, heavy };
    ctx.state.budget = budget;
    return next();
  };
};
