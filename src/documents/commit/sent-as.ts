import type { Schema, ShardKey } from '../../schema/types.js';
import { collectionName } from '../../store/connection/collections.js';
import type { WriteStep } from '../../store/entries/changes.js';
import { uniqueIndexesOf } from '../../store/indexes/unique.js';
import { oncePer } from '../../values/once-per.js';
import { digest } from '../claims/digest.js';

/** What decides how the steps of a collection are sent. */
interface Sending {
  /** What its unique indexes are over. */
  readonly unique: readonly string[];
  readonly shard: ShardKey | null;
}

/**
 * The same steps, as the server takes them best. One that changes or removes an entry of a sharded collection names its shard key beside
 * its `_id`: by `_id` alone MongoDB asks every shard, and all of them take part in the transaction. An entry whose uniquely indexed
 * values change is removed and stored again: MongoDB takes either form, and one server keeps a unique value taken after the update that
 * replaced it (docs/engines.md).
 */
export const sentAs = (schema: Schema, steps: readonly WriteStep[]): WriteStep[] =>
  steps.map((step) => {
    const { collection, before, after } = step;
    const sending = sendingOf(schema).get(collection);
    if (!sending || !before) return step;
    const { unique, shard } = sending;
    return {
      ...step,
      ...(after && unique.some((path) => differs(before[path], after[path])) && { reinsert: true }),
      ...(shard && {
        route: Object.fromEntries(Object.keys(shard).map((name) => [name, before[name] ?? null])),
      }),
    };
  });

const differs = (a: unknown, b: unknown): boolean => a !== b && digest([a]) !== digest([b]);

/** By collection. Of a type without drafts both are one. */
const sendingOf = oncePer(
  ({ contentTypes }: Schema): ReadonlyMap<string, Sending> =>
    new Map(
      [...contentTypes.values()].flatMap((type): (readonly [string, Sending])[] => {
        const { shard } = type;
        const unique = shard ? [] : uniqueIndexesOf(type).flatMap(({ keys }) => Object.keys(keys));
        return [
          [collectionName(type, 'draft'), { unique: [], shard }],
          [collectionName(type, 'published'), { unique, shard }],
        ];
      }),
    ),
);
