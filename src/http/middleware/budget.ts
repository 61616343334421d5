import { type ApiError, errors } from '../../errors.js';
import { newAbortController } from '../../limits/abort-controller.js';
import type { Budget, BudgetLimits, Clock } from '../../limits/budget.js';
import { callerOf } from '../../limits/caller-of.js';
import { createGate, createGates, type Gate } from '../../limits/gate.js';
import type { AppMiddleware } from '../context.js';
import type { AppDeps } from '../deps.js';

/** The number of heavy jobs that may wait; beyond it, requests are told to retry later. */
const MAX_WAITING = 200;
/** The same for requests from one address. */
const MAX_WAITING_OF_ADDRESS = 1000;

interface BudgetSettings {
  readonly limits: BudgetLimits;
  readonly heavyAtOnce: number;
  /** Connections to the database. */
  readonly connections: number;
  /** Milliseconds per request; 0: no limit. */
  readonly requestMs: number;
  /** Requests from one address that are processed at once; 0: no limit. */
  readonly maxPerAddress: number;
}

/** The client has disconnected: its work is aborted and nothing is answered. */
const gone = (): Error => Object.assign(new Error('The caller has gone'), { code: 'ECONNABORTED' });

const timedOut = (limit: number): ApiError =>
  errors.late('request-timed-out', `The request took longer than ${limit} ms and was stopped`, {
    setting: 'server.requestMs',
    limit,
  });

/** Aborts a request that exceeds its time. */
function newClock(ms: number, aborting: AbortController): Clock {
  let timer: NodeJS.Timeout | undefined;
  const stop = (): void => clearTimeout(timer);
  return {
    stop,
    start: () => {
      stop();
      if (ms > 0) timer = setTimeout(() => aborting.abort(timedOut(ms)), ms).unref();
    },
  };
}

/**
 * Reads of requests may use three quarters of the connections, and those of one address half of them, so that
 * some stay free for accounts and writes.
 */
const connectionGate = (connections: number): Gate =>
  createGate({
    atOnce: Math.max(1, Math.floor(connections * 0.75)),
    perClient: Math.max(1, Math.floor(connections * 0.5)),
    maxWaiting: Number.POSITIVE_INFINITY,
  });

/** Rejects with the reason when the signal is aborted. */
export const whenAborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });

const settingsOf = ({ config, store }: Parts): BudgetSettings => ({
  limits: config.query,
  // The embedded engine has one thread: two heavy reads at once would only double the memory.
  heavyAtOnce: config.database.uri === null ? 1 : config.query.heavyReads,
  connections: store.client.options.maxPoolSize,
  requestMs: config.server.requestMs,
  maxPerAddress: config.server.maxPerAddress,
});

type Parts = Pick<AppDeps, 'config' | 'store'>;

/** Creates budgets that share their gates. The clock of a new budget is not running. */
type NewBudget = (client: string, aborting: AbortController) => Budget;

export const newBudgets = (parts: Parts): NewBudget => {
  const { limits, heavyAtOnce, connections, requestMs } = settingsOf(parts);
  const heavy = createGate({ atOnce: heavyAtOnce, maxWaiting: MAX_WAITING });
  const commands = connectionGate(connections);
  return (client, aborting) => ({
    limits,
    client,
    signal: aborting.signal,
    clock: newClock(requestMs, aborting),
    heavy,
    commands,
    spent: { bytes: 0 },
  });
};

/**
 * Gives each request a budget: limits on what it reads and returns, a time limit, and a signal that aborts
 * its work when the time is over or the client disconnects. The number of concurrent requests from one
 * address is limited; others wait.
 */
export const budgets = (parts: Parts): AppMiddleware => {
  const { maxPerAddress } = settingsOf(parts);
  const newBudget = newBudgets(parts);
  const gateOf = createGates({
    atOnce: maxPerAddress === 0 ? Number.POSITIVE_INFINITY : maxPerAddress,
    maxWaiting: MAX_WAITING_OF_ADDRESS,
  });
  return async (ctx, next) => {
    const aborting = newAbortController();
    const client = callerOf(ctx.ip);
    const budget = newBudget(client, aborting);
    const { clock, signal } = budget;
    ctx.exchange.budget = budget;
    // Work for a disconnected client still counts as running.
    let underWay = 2;
    let leave = (): void => undefined;
    const ended = (): void => {
      underWay -= 1;
      if (underWay === 0) leave();
    };
    ctx.res.once('close', () => {
      clock.stop();
      if (!ctx.res.writableFinished) aborting.abort(gone());
      ended();
    });
    clock.start();
    const gate = gateOf(client);
    leave = gate.enterNow({ signal }) ?? (await gate.enter({ signal }));
    try {
      await new Promise<void>((resolve, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason));
        next().then(
          () => {
            if (ctx.exchange.isStream) leave();
            ended();
            resolve();
          },
          (error: unknown) => {
            ended();
            reject(error);
          },
        );
      });
    } catch (error) {
      // If the request was aborted, does not wait for an answer that is still being sent.
      if (signal.aborted) ctx.res.shouldKeepAlive = false;
      throw error;
    } finally {
      clock.stop();
    }
  };
};
