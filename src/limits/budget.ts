/** What one request may cost: made at the edge, spent by whatever reads and shows for it. */
import { type ApiError, errors } from '../errors.js';
import type { Gate } from './gate.js';

export interface BudgetLimits {
  /** Entries and files that one answer may show, each as often as it is shown. */
  readonly maxRows: number;
  /** Bytes that a read may bring from the database, and that its answer may take. */
  readonly maxBytes: number;
}

export interface Budget {
  readonly limits: BudgetLimits;
  /** Aborted when the caller has gone. */
  readonly signal: AbortSignal;
  /** What reads of much weight pass, few at a time. */
  readonly heavy: Gate;
}

/** The 400 for an answer beyond a limit; it names the setting. */
export const overBudget = (setting: keyof BudgetLimits, limit: number): ApiError =>
  setting === 'maxRows'
    ? errors.application(
        'answer-too-many-entries',
        `The answer would show more than ${limit} entries: ask for fewer or populate less`,
        {
          setting: 'query.maxRows',
          limit,
        },
      )
    : errors.application(
        'answer-too-large',
        `The answer would take more than ${limit} bytes: ask for less at once`,
        {
          setting: 'query.maxBytes',
          limit,
        },
      );

/** Counts the bytes of one read. Throws a 400 beyond the limit. */
export function byteCounter({ limits }: Budget): (bytes: number) => void {
  let sum = 0;
  return (bytes) => {
    sum += bytes;
    if (sum > limits.maxBytes) throw overBudget('maxBytes', limits.maxBytes);
  };
}
