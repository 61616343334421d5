/** Recommends indexes for what rules test in every list of a type. Pure. */
import type { Condition } from '../query/read-plan.js';
import { collectionsOf } from '../schema/stored/collections.js';
import type { ContentType } from '../schema/types.js';
import { indexPath, type Keys } from './index-advice.js';

interface Ruled {
  /** Who has the rule. */
  readonly holder: string;
  readonly type: ContentType;
  readonly condition: Condition;
}

interface WantedIndex {
  readonly collection: string;
  /** As the driver would name it. */
  readonly name: string;
  readonly keys: Keys;
  /** Who has rules that want it. */
  readonly by: readonly string[];
}

interface Existing {
  readonly collection: string;
  readonly keys: Readonly<Record<string, unknown>>;
}

/** The indexes by which lists would find the entries that rules select, and that do not exist. */
export function ruleIndexes(rules: readonly Ruled[], existing: readonly Existing[]): readonly WantedIndex[] {
  const wanted = new Map<string, WantedIndex>();
  for (const { holder, type, condition } of rules) {
    // Commands for adopted collections: see `mangrove explain`.
    if (type.storage) continue;
    for (const paths of alternatives(condition))
      for (const collection of collectionsOf(type).toReversed()) {
        const begins = existing
          .filter((one) => one.collection === collection)
          .map(({ keys }) => Object.keys(keys)[0]);
        const [path] = paths;
        if (path === undefined || paths.some((one) => begins.includes(one))) continue;
        const name = `${path}_1_id_1`;
        const before = wanted.get(`${collection} ${name}`)?.by ?? [];
        const by = [...new Set([...before, holder])];
        wanted.set(`${collection} ${name}`, { collection, name, keys: { [path]: 1, id: 1 }, by });
      }
  }
  return [...wanted.values()];
}

/**
 * The paths of each alternative of a condition, of which an index may begin with any, the best first. None if an
 * alternative is left without: then all entries are read anyway.
 */
function alternatives(condition: Condition): readonly (readonly string[])[] {
  const each = (condition.kind === 'or' ? condition.of : [condition]).map((one) => {
    const tests = (one.kind === 'and' ? one.of : [one])
      .map((part) => indexPath(part))
      .filter((path) => path !== null);
    return [...tests].sort((a, b) => Number(b.equal) - Number(a.equal)).map(({ path }) => path);
  });
  return each.some((paths) => paths.length === 0) ? [] : each;
}
