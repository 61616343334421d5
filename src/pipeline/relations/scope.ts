import type { RelationHop } from '../../query/read-plan.js';
import type { SemiJoin } from '../types.js';
import type { CompiledRelated } from './semi-join.js';

/** What one compilation gathers on its way: it lives no longer than the call of `compileRead`. */
export interface Scope {
  readonly semiJoins: SemiJoin[];
  /** Numbers of the semi-joins that had too many values: they are done by `$lookup`. */
  readonly byLookup: ReadonlySet<number>;
  /** What was compiled for a relation. A filter that leads to two versions of a type, which both lead on, comes to it again and again. */
  readonly related: Map<RelationHop, CompiledRelated[]>;
  /** Semi-joins and side fields are numbered in the order of the plan, the same in every compilation of it. */
  next(): number;
}

export function newScope(byLookup: ReadonlySet<number>): Scope {
  let count = 0;
  return { semiJoins: [], byLookup, related: new Map(), next: () => count++ };
}
