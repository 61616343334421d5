import { type ApiError, errors } from '../../errors.js';
import type { Budget, BudgetLimits, Clock } from '../../limits/budget.js';
import { callerOf } from '../../limits/caller-of.js';
import { Ending } from '../../limits/ending.js';
import { createGate, type Gate } from '../../limits/gate.js';
import type { AppMiddleware } from '../context.js';
import type { AppDeps } from '../deps.js';

/** Jobs that may wait for heavy ones; further ones are told to come back later. */
const MAX_WAITING = 200;
/** The same for requests of one address. */
const MAX_WAITING_OF_ADDRESS = 1000;

interface BudgetSettings {
  readonly limits: BudgetLimits;
  readonly heavyAtOnce: number;
  /** Connections to the database. */
  readonly connections: number;
  /** Milliseconds of one request; 0: no limit. */
  readonly requestMs: number;
  /** Requests of one address that are worked on at the same time; 0: no limit. */
  readonly maxPerAddress: number;
}

/** The caller hung up: its work ends, and nobody is answered. */
const gone = (): Error => Object.assign(new Error('The caller has gone'), { code: 'ECONNABORTED' });

const timedOut = (limit: number): ApiError =>
  errors.late('request-timed-out', `The request took longer than ${limit} ms and was stopped`, {
    setting: 'server.requestMs',
    limit,
  });

/**
 * Ends requests whose time is over. All have the same time, so those that began first are the first to end, and one timer does for all:
 * it is set again when it has run, and not for each request.
 */
const newClocks = (ms: number): ((ending: Ending) => Clock) => {
  /** When each has to end, by `performance.now()`. */
  const ends = new Map<Ending, number>();
  let isSet = false;
  const wake = (after: number): void => {
    if (isSet) return;
    isSet = true;
    setTimeout(endDue, after).unref();
  };
  const endDue = (): void => {
    isSet = false;
    const now = performance.now();
    for (const [ending, at] of ends) {
      if (at > now) {
        wake(at - now);
        return;
      }
      ends.delete(ending);
      ending.abort(timedOut(ms));
    }
  };
  return (ending) => ({
    stop: () => void ends.delete(ending),
    start: () => {
      if (ms === 0) return;
      ends.delete(ending);
      ends.set(ending, performance.now() + ms);
      wake(ms);
    },
  });
};

/** Reads of requests have three quarters of the connections, and those of one address half of them: accounts and writes find some free. */
const connectionGate = (connections: number): Gate =>
  createGate({
    atOnce: Math.max(1, Math.floor(connections * 0.75)),
    perClient: Math.max(1, Math.floor(connections * 0.5)),
    maxWaiting: Number.POSITIVE_INFINITY,
  });

/** A gate for each active address. */
const doors = (atOnce: number): ((address: string) => Gate) => {
  const open = new Map<string, Gate>();
  return (address) => {
    const known = open.get(address);
    if (known) return known;
    for (const [other, gate] of open) if (gate.idle) open.delete(other);
    const gate = createGate({ atOnce, maxWaiting: MAX_WAITING_OF_ADDRESS });
    open.set(address, gate);
    return gate;
  };
};

/** Rejects with the reason when the signal is aborted. */
export const whenAborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });

const settingsOf = ({ config, store }: Parts): BudgetSettings => ({
  limits: config.query,
  // The embedded engine has one thread: two heavy reads would only hold twice the memory.
  heavyAtOnce: config.database.uri === null ? 1 : config.query.heavyReads,
  connections: store.client.options.maxPoolSize,
  requestMs: config.server.requestMs,
  maxPerAddress: config.server.maxPerAddress,
});

type Parts = Pick<AppDeps, 'config' | 'store'>;

/** Makes budgets, which share the gates; the clock of a new one is not started. */
type NewBudget = (client: string, signal: Ending) => Budget;

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
 * Gives each request its budget: limits on what it reads and shows, a time, and a signal that ends its work when that is over or the
 * caller goes. Of one address only so many requests are under way: further ones wait until one of them is done.
 */
export const budgets = (parts: Parts): AppMiddleware => {
  const { maxPerAddress } = settingsOf(parts);
  const newBudget = newBudgets(parts);
  const doorOf = doors(maxPerAddress === 0 ? Number.POSITIVE_INFINITY : maxPerAddress);
  return async (ctx, next) => {
    const signal = new Ending();
    const client = callerOf(ctx.ip);
    const budget = newBudget(client, signal);
    const { clock } = budget;
    ctx.state.budget = budget;
    // Work for a caller who has gone still counts as under way.
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
    const door = doorOf(client);
    leave = door.enterNow({ signal }) ?? (await door.enter({ signal }));
    try {
      await new Promise<void>((resolve, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason));
        next().then(
          () => {
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
      // An answer that is still being sent when its request is over is not awaited.
      if (signal.aborted) ctx.set('Connection', 'close');
      throw error;
    } finally {
      clock.stop();
    }
  };
};
