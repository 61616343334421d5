import type { Scope } from '../relations/scope.js';
import { Slot, type Source, type Stage } from '../types.js';

/** The stages by which the rows of a source differ from what its collection holds. */
export const sourceStages = (source: Source, scope: Scope): readonly Stage[] => [
  ...(source.except ? exceptStages(source.except, scope) : []),
  ...source.nulls.map(({ stored }) => ({ $unset: stored })),
];

/** The `_id`s to leave out are queried first, or looked up for each row if there are too many. */
function exceptStages(except: Source, scope: Scope): readonly Stage[] {
  const number = scope.next();
  if (scope.byLookup.has(number)) return withoutTwin(except);
  scope.semiJoins.push({ number, source: except, stages: [], field: '_id', texts: false, needs: [] });
  return [{ $match: { _id: { $nin: new Slot(number) } } }];
}

const TWIN = '_sibling';

const withoutTwin = ({ collection }: Source): readonly Stage[] => [
  {
    $lookup: {
      from: collection,
      localField: '_id',
      foreignField: '_id',
      pipeline: [{ $project: { _id: 1 } }],
      as: TWIN,
    },
  },
  { $match: { [`${TWIN}.0`]: { $exists: false } } },
];
