/** What one request may cost: made at the edge, spent by whatever reads and shows for it. */
import { type ApiError, errors } from '../errors.js';
import type { Gate } from './gate.js';

export interface BudgetLimits {
  /** Entries and files that one answer may show, each as often as it is shown. */
  readonly maxRows: number;
  /** Bytes that a read may bring from the database, and that its answer may take. */
  readonly maxBytes: number;
  /** Which setting says so, where not `query.maxBytes`. */
  readonly bytesSetting?: string;
}

export interface Budget {
  readonly limits: BudgetLimits;
  /** Whose request it is: its address. */
  readonly client: string;
  /** Aborted when the caller has gone or the time is over, with the reason. */
  readonly signal: AbortSignal;
  readonly clock: Clock;
  /** What much work passes, little at a time. */
  readonly heavy: Gate;
  /** What each command of a read passes, so that nobody has all connections to the database. */
  readonly commands: Gate;
  /** What was spent so far. */
  readonly spent: { bytes: number };
}

/** The time that a request has. */
export interface Clock {
  /** What has been begun is finished, however long it takes: for a commit. */
  stop(): void;
  /** Restarts the clock. */
  start(): void;
}

/** Bytes from which an answer is made in turns with others. */
export const LARGE = 256_000;

/** The 400 for an answer beyond a limit; it names the setting. */
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

/** Counts the bytes of one read. Throws a 400 beyond the limit. */
export function byteCounter({ limits, spent }: Budget): (bytes: number) => void {
  let sum = 0;
  return (bytes) => {
    sum += bytes;
    spent.bytes += bytes;
    if (sum > limits.maxBytes) throw overBudget('maxBytes', limits);
  };
}
