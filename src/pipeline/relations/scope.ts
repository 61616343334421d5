import type { Condition, RelationHop, Visible } from '../../query/read-plan.js';
import type { ContentType } from '../../schema/types.js';
import type { ReadForm, SemiJoin } from '../types.js';
import type { CompiledRelated } from './semi-join.js';

/** What one call of `compileRead` collects. */
export interface Scope {
  readonly semiJoins: SemiJoin[];
  /** Numbers of the semi-joins that have too many values and use `$lookup`. */
  readonly byLookup: ReadonlySet<number>;
  readonly keyPaths: boolean;
  /** The condition on the rows of a type that the caller may read; null: all of them. */
  visible(type: ContentType): Condition | null;
  /**
   * Compiled relations, since a filter through types with two versions reaches the same relation many times.
   */
  readonly related: Map<RelationHop, CompiledRelated[]>;
  /**
   * The next number for a semi-join or lookup field. Numbers follow the order of the plan, so they are the same
   * in every compilation.
   */
  next(): number;
}

export function newScope(
  { byLookup, keyPaths }: Pick<ReadForm, 'byLookup' | 'keyPaths'>,
  shown?: Visible,
): Scope {
  let count = 0;
  return {
    semiJoins: [],
    byLookup,
    keyPaths,
    visible: ({ uid }) => shown?.byType.get(uid) ?? null,
    related: new Map(),
    next: () => count++,
  };
}

/** The same scope where everything is visible: a rule sees what it is about, whoever it is for. */
export const seeingAll = (scope: Scope): Scope => ({ ...scope, visible: () => null });
