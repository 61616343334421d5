import { type BudgetLimits, overBudget } from '../../limits/budget.js';

/** What an answer contains so far, checked against its limits. */
export interface ResponseLimits {
  /** Entries and files, counted each time they are shown. */
  rows: number;
  /** Throws a 400 if the answer exceeds its limits, given its size in bytes. */
  check(bytes: number): void;
}

export const responseLimits = (limits: BudgetLimits | null): ResponseLimits => ({
  rows: 0,
  check(bytes) {
    if (limits === null) return;
    if (this.rows > limits.maxRows) throw overBudget('maxRows', limits);
    if (bytes > limits.maxBytes) throw overBudget('maxBytes', limits);
  },
});
