import { collectionName } from '../../schema/stored/collections.js';
import type { Schema, ShardKey } from '../../schema/types.js';
import type { WriteStep } from '../../store/entries/changes.js';
import { uniqueIndexesOf } from '../../store/indexes/unique.js';
import { oncePer } from '../../values/once-per.js';
import { digest } from '../claims/digest.js';

/** What decides how the changes of a collection are sent. */
interface SendSettings {
  /** The paths of its unique indexes. */
  readonly unique: readonly string[];
  readonly shard: ShardKey | null;
}

/**
 * The same steps, with options for how they are sent. In sharded collections a change or removal also names the
 * shard key: by `_id` alone MongoDB would query every shard and include all of them in the transaction. An
 * entry whose uniquely indexed values change is removed and inserted again: MongoDB accepts either form, but
 * one server keeps a unique value reserved after the update that replaced it (docs/engines.md).
 */
export const withSendOptions = (schema: Schema, steps: readonly WriteStep[]): WriteStep[] =>
  steps.map((step) => {
    const { collection, before, after } = step;
    const settings = settingsOf(schema).get(collection);
    if (!settings || !before) return step;
    const { unique, shard } = settings;
    return {
      ...step,
      ...(after && unique.some((path) => differs(before[path], after[path])) && { reinsert: true }),
      ...(shard && {
        route: Object.fromEntries(Object.keys(shard).map((name) => [name, before[name] ?? null])),
      }),
    };
  });

const differs = (a: unknown, b: unknown): boolean => a !== b && digest([a]) !== digest([b]);

/** By collection name. For types without drafts both names are the same and the second entry wins. */
const settingsOf = oncePer(
  ({ contentTypes }: Schema): ReadonlyMap<string, SendSettings> =>
    new Map(
      [...contentTypes.values()].flatMap((type): (readonly [string, SendSettings])[] => {
        const { shard } = type;
        const unique = shard ? [] : ['id', ...uniqueIndexesOf(type).flatMap(({ keys }) => Object.keys(keys))];
        return [
          [collectionName(type, 'draft'), { unique: shard ? [] : ['id'], shard }],
          [collectionName(type, 'published'), { unique, shard }],
        ];
      }),
    ),
);
