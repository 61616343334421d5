import type { SemiJoin } from './types.js';

/** What one compilation gathers on its way: it lives no longer than the call of `compileRead`. */
export interface Scope {
  readonly semiJoins: SemiJoin[];
  /** Numbers of the semi-joins that had too many values: they are done by `$lookup`. */
  readonly byLookup: ReadonlySet<number>;
  /** Semi-joins and side fields are numbered in the order of the plan, the same in every compilation of it. */
  next(): number;
}

export function newScope(byLookup: ReadonlySet<number>): Scope {
  let count = 0;
  return { semiJoins: [], byLookup, next: () => count++ };
}
