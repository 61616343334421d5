/** When a total is counted: beside its page, or after it and only if the page does not tell it. */
import { LRUCache } from 'lru-cache';
import type { Condition, ReadPlan } from '../../query/read-plan.js';
import type { CountStrategy } from '../../store/reads/read.js';
import { oncePer } from '../../values/once-per.js';

/** What is learned of filters of one shape, so that a plan made for the first time profits too. */
export const newCountStrategies = (max: number): ((plan: ReadPlan) => CountStrategy) => {
  const strategies = new LRUCache<string, CountStrategy>({ max });
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

/** Filters that differ in their values only, such as the slug that is asked for, have one shape. */
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
