/**
 * Decides when a total is counted: along with its page, or afterwards and only if the page does not reveal
 * it.
 */
import { LRUCache } from 'lru-cache';
import type { Condition, ReadPlan } from '../../query/read-plan.js';
import type { CountStrategy } from '../../store/reads/read.js';
import { oncePer } from '../../values/once-per.js';
import { ofTexts } from './plan-cache.js';

/** Shared by filters of the same shape, so that a new plan profits too. */
export const newCountStrategies = (maxBytes: number): ((plan: ReadPlan) => CountStrategy) => {
  const strategies = new LRUCache<string, CountStrategy>(ofTexts(maxBytes));
  return (plan) => {
    const shape = kindOf(plan);
    const known = strategies.get(shape);
    if (known) return known;
    const strategy = { canSkipCount: false };
    strategies.set(shape, strategy);
    return strategy;
  };
};

const kindOf = oncePer(
  ({ type, filter, page }: ReadPlan) =>
    `${type.uid} ${page.skip > 0 ? 'further' : 'first'} ${shapeOf(filter)}`,
);

/** Filters that differ only in their values, such as a slug, have the same shape. */
function shapeOf(condition: Condition): string {
  switch (condition.kind) {
    case 'test':
      return `${condition.attribute.name}:${condition.test.negated ? 'not ' : ''}${condition.test.operator}`;
    case 'some':
      return `${condition.via.attribute.name}(${shapeOf(condition.where)})`;
    case 'and':
    case 'or':
      return `${condition.kind}(${condition.of.map(shapeOf).join()})`;
    default:
      return condition.kind;
  }
}
