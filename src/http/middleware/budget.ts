import { type ApiError, errors } from '../../errors.js';
import type { Budget, BudgetLimits, Clock } from '../../limits/budget.js';
import { callerOf } from '../../limits/caller-of.js';
import { createGate, createGates, type Gate } from '../../limits/gate.js';
import { LazyAbortSignal } from '../../limits/lazy-abort-signal.js';
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

/**
 * Aborts requests that exceed their time. All have the same time limit, so the oldest one expires first and a
 * single timer is enough; it is restarted when it fires instead of for each request.
 */
const newClocks = (ms: number): ((signal: LazyAbortSignal) => Clock) => {
  /** The deadline of each request, by `performance.now()`. */
  const ends = new Map<LazyAbortSignal, number>();
  let isSet = false;
  const wake = (after: number): void => {
    if (isSet) return;
    isSet = true;
    setTimeout(endDue, after).unref();
  };
  const endDue = (): void => {
    isSet = false;
    const now = performance.now();
    for (const [signal, at] of ends) {
      if (at > now) {
        wake(at - now);
        return;
      }
      ends.delete(signal);
      signal.abort(timedOut(ms));
    }
  };
  return (signal) => ({
    stop: () => void ends.delete(signal),
    start: () => {
      if (ms === 0) return;
      ends.delete(signal);
      ends.set(signal, performance.now() + ms);
      wake(ms);
    },
  });
};

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
type NewBudget = (client: string, signal: LazyAbortSignal) => Budget;

export const newBudgets = (parts: Parts): NewBudget => {
  const { limits, heavyAtOnce, connections, requestMs } = settingsOf(parts);
  const heavy = createGate({ atOnce: heavyAtOnce, maxWaiting: MAX_WAITING });
  const commands = connectionGate(connections);
  const clockFor = newClocks(requestMs);
  return (client, signal) => ({
    limits,
    client,
    signal,
    clock: clockFor(signal),
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
    const signal = new LazyAbortSignal();
    const client = callerOf(ctx.ip);
    const budget = newBudget(client, signal);
    const { clock } = budget;
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
      if (!ctx.res.writableFinished) signal.abort(gone());
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
