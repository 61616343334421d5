import { type BudgetLimits, overBudget } from '../../limits/budget.js';
import { newMeasure } from '../../limits/measure.js';

/** What an answer has shown so far, where it has limits. */
export interface Meter {
  /** Entries and files, each as often as it is shown. */
  rows: number;
  /** Throws a 400 where what is shown, or is about to be, takes more bytes or entries than the limits allow. */
  check(bytes: number): void;
  /** Counts the entries in what is shown as an object. */
  add(shown: unknown): void;
}

export function newMeter(limits: BudgetLimits | null): Meter {
  const measure = limits && newMeasure(limits);
  return {
    rows: 0,
    check(bytes) {
      if (limits === null) return;
      if (this.rows > limits.maxRows) throw overBudget('maxRows', limits);
      if (bytes > limits.maxBytes) throw overBudget('maxBytes', limits);
    },
    add(shown) {
      if (measure) this.rows += measure(shown).rows;
    },
  };
}
