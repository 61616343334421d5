import type { Schema, ShardKey } from '../../schema/types.js';
import { collectionName } from '../../store/connection/collections.js';
import type { WriteStep } from '../../store/entries/changes.js';
import { oncePer } from '../../values/once-per.js';

/**
 * The same steps; one that changes or removes an entry of a sharded collection names its shard key beside its `_id`. By `_id` alone
 * MongoDB asks every shard, and all of them take part in the transaction.
 */
export const routed = (schema: Schema, steps: readonly WriteStep[]): WriteStep[] => {
  const keys = shardKeys(schema);
  return steps.map((step) => {
    const key = keys.get(step.collection);
    const { before } = step;
    if (!key || !before) return step;
    return {
      ...step,
      route: Object.fromEntries(Object.keys(key).map((name) => [name, before[name] ?? null])),
    };
  });
};

/** By collection. */
const shardKeys = oncePer(
  (schema: Schema): ReadonlyMap<string, ShardKey> =>
    new Map(
      [...schema.contentTypes.values()].flatMap((type) => {
        const { shard } = type;
        if (shard === null) return [];
        return (['draft', 'published'] as const).map(
          (status) => [collectionName(type, status), shard] as const,
        );
      }),
    ),
);
