import type { Condition, ReadPlan } from '../../query/read-plan.js';

/**
 * Whether at most one entry can match, so that there is nothing to sort: its document is given, or the value of an attribute that
 * is unique among published entries of one locale. A server without statistics may otherwise walk the sort's index for it.
 */
export const atMostOne = ({ type, status, locale, filter, documentId }: ReadPlan): boolean => {
  if (documentId !== null) return true;
  // What others say is unique is so where their index holds it.
  if (type.storage) return false;
  if (type.draftAndPublish && status === 'draft') return false;
  return (!type.localized || locale.kind === 'one') && parts(filter).some(namesOne);
};

const parts = (filter: Condition): readonly Condition[] => (filter.kind === 'and' ? filter.of : [filter]);

const namesOne = (condition: Condition): boolean => {
  if (condition.kind !== 'test') return false;
  const { attribute, test } = condition;
  const one = test.operator === 'eq' || (test.operator === 'in' && test.values.length === 1);
  // The empty text is left out of unique indexes (rules E.5).
  return one && !test.negated && test.values[0] !== '' && attribute.unique;
};
