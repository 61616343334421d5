import type { Schema } from '../../schema/types.js';
import { collectionName } from '../../store/connection/collections.js';
import type { WriteStep } from '../../store/entries/changes.js';
import { uniqueIndexesOf } from '../../store/indexes/unique.js';
import { oncePer } from '../../values/once-per.js';
import { digest } from '../claims/digest.js';

/**
 * The same steps; an entry whose uniquely indexed values change is removed and stored again. MongoDB takes either form, and one server
 * keeps a unique value taken after the update that replaced it (docs/engines.md).
 */
export const reinserted = (schema: Schema, steps: readonly WriteStep[]): WriteStep[] => {
  const paths = uniquePaths(schema);
  return steps.map((step) => {
    const { collection, before, after } = step;
    if (!before || !after || !paths.get(collection)?.some((path) => differs(before[path], after[path])))
      return step;
    return { ...step, reinsert: true };
  });
};

const differs = (a: unknown, b: unknown): boolean => a !== b && digest([a]) !== digest([b]);

/** What unique indexes are over, by collection. */
const uniquePaths = oncePer(
  (schema: Schema): ReadonlyMap<string, readonly string[]> =>
    new Map(
      [...schema.contentTypes.values()]
        .filter(({ shard }) => shard === null)
        .map((type) => [
          collectionName(type, 'published'),
          uniqueIndexesOf(type).flatMap(({ keys }) => Object.keys(keys)),
        ]),
    ),
);
