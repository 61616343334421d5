import { errors } from '../../errors.js';
import type { PopulateTree } from '../ast.js';
import type { QueryLimits } from '../settings.js';

/** Throws a 400 when a query populates more branches than allowed: each may cost a look-up. */
export function checkJoins(tree: PopulateTree, limits: QueryLimits): void {
  if (countBranches(tree) <= limits.maxJoins) return;
  throw errors.validation(`The query populates too many attributes. The maximum is ${limits.maxJoins}.`, {
    key: 'populate',
    path: null,
    source: 'query',
    param: 'populate',
  });
}

/** The depth was bounded when the tree was made. */
function countBranches(tree: PopulateTree): number {
  let count = tree.size;
  for (const branch of tree.values())
    count += countBranches(branch.populate) + (branch.on ? countBranches(branch.on) : 0);
  return count;
}
