/** What one request may cost. Created with the request; reads and renders count against it. */
import { type ApiError, errors } from '../errors.js';
import type { Gate } from './gate.js';

export interface BudgetLimits {
  /** Entries and files in one response; each counts as often as it appears. */
  readonly maxRows: number;
  /** Bytes that a read may fetch from the database, and that the response may have. */
  readonly maxBytes: number;
  /** The setting that limits the bytes; `query.maxBytes` if absent. */
  readonly bytesSetting?: string;
}

export interface Budget {
  readonly limits: BudgetLimits;
  /** The address of the client. */
  readonly client: string;
  /** Aborted, with the reason, when the client disconnects or the time is up. */
  readonly signal: AbortSignal;
  readonly clock: Clock;
  /** Limits how many expensive steps run at once. */
  readonly heavy: Gate;
  /** Limits how many read commands run at once, so that no client occupies every database connection. */
  readonly commands: Gate;
  /** What has been used so far. */
  readonly spent: { bytes: number };
}

/** The time limit of a request. */
export interface Clock {
  /** Stops the clock, so that work that must be completed, such as a commit, may take as long as it needs. */
  stop(): void;
  /** Restarts the clock. */
  start(): void;
}

/** Responses of at least this many bytes are built in slices, so that other requests are served meanwhile. */
export const LARGE = 256_000;

/** The 400 for a response beyond a limit; its message names the limit, its details name the setting. */
export const overBudget = (
  limit: 'maxRows' | 'maxBytes',
  { maxRows, maxBytes, bytesSetting = 'query.maxBytes' }: BudgetLimits,
): ApiError =>
  limit === 'maxRows'
    ? errors.application(
        'answer-too-many-entries',
        `The response would contain more than ${maxRows} entries: request fewer or populate less`,
        { setting: 'query.maxRows', limit: maxRows },
      )
    : errors.application(
        'answer-too-large',
        `The response would be larger than ${maxBytes} bytes: request less at once`,
        { setting: bytesSetting, limit: maxBytes },
      );

/** Counts the bytes of one read. Throws a 400 when they exceed the limit. */
export function byteCounter({ limits, spent }: Budget): (bytes: number) => void {
  let sum = 0;
  return (bytes) => {
    sum += bytes;
    spent.bytes += bytes;
    if (sum > limits.maxBytes) throw overBudget('maxBytes', limits);
  };
}
