/** Recommends indexes for reads of adopted collections, in which Mangrove creates none. */

import { joinFieldsOf } from '../pipeline/rows/place.js';
import { plainPath } from '../query/plain-path.js';
import type { Condition, ReadPlan, SelectedFields, SortKey } from '../query/read-plan.js';
import { rowOfTest } from '../query/tests.js';
import type { ContentType } from '../schema/types.js';
import { adoptedIndexes } from '../store/adopted/inspect.js';
import type { Store } from '../store/client.js';

export type Keys = Readonly<Record<string, 1 | -1>>;

interface Wanted {
  readonly type: ContentType;
  /** In order. An index suffices that begins with any of `anyOf`, or with all of `keys`. */
  readonly keys: Keys;
  readonly anyOf: ReadonlySet<string>;
}

/** The commands that create them, for mongosh. */
export async function adviseIndexes(store: Store, plan: ReadPlan): Promise<readonly string[]> {
  const commands: string[] = [];
  for (const wanted of wantedBy(plan)) {
    if (wanted.type.storage === null) continue;
    const { database, indexes } = await adoptedIndexes(store, wanted.type);
    if (indexes.some((keys) => serves(keys, wanted))) continue;
    const collection = `db.getSiblingDB(${JSON.stringify(database)}).getCollection(${JSON.stringify(wanted.type.collectionName)})`;
    commands.push(`${collection}.createIndex(${JSON.stringify(wanted.keys)})`);
  }
  return [...new Set(commands)];
}

function serves(keys: Keys, { keys: wanted, anyOf }: Wanted): boolean {
  const have = Object.entries(keys);
  const [first] = have[0] ?? [''];
  if (anyOf.has(first)) return true;
  const need = Object.entries(wanted);
  return [1, -1].some((way) =>
    need.every(([path, direction], at) => have[at]?.[0] === path && have[at]?.[1] === direction * way),
  );
}

function wantedBy({ type, filter, sort, documentId, selection }: ReadPlan): readonly Wanted[] {
  const related = [...relatedBy(filter, type), ...populatedBy(selection)];
  if (documentId !== null) return related;
  const equal: string[] = [];
  const ranges: string[] = [];
  for (const part of filter.kind === 'and' ? filter.of : [filter]) {
    const path = indexPath(part);
    if (path === null) continue;
    (path.equal ? equal : ranges).push(path.path);
  }
  if (equal.includes('_id')) return related;
  const order = orderOf(sort);
  const keys: Record<string, 1 | -1> = {};
  for (const path of equal) keys[path] = 1;
  for (const [path, direction] of order) keys[path] ??= direction;
  if (order.length < 2) for (const path of ranges) keys[path] ??= 1;
  const paths = Object.keys(keys).filter((path) => path !== '_id');
  return paths.length === 0 ? related : [{ type, keys, anyOf: new Set([...equal, ...ranges]) }, ...related];
}

/** Empty if a key leads through a relation or list: no index provides that order. */
function orderOf(sort: readonly SortKey[]): readonly (readonly [string, 1 | -1])[] {
  const order = sort.flatMap((key) => {
    const path = plainPath(key);
    return path === null ? [] : [[path, key.direction] as const];
  });
  return order.length === sort.length ? order : [];
}

/** The path of a test that an index can support, from the entry. */
export function indexPath(
  condition: Condition,
  prefix = '',
): { readonly path: string; readonly equal: boolean } | null {
  if (condition.kind === 'some') {
    const { via, where } = condition;
    if (via.kind === 'relation')
      return via.attribute.kind === 'media' || via.attribute.owner
        ? { path: joinFieldsOf(via, prefix).local, equal: true }
        : null;
    return indexPath(
      where.kind === 'and' ? (where.of[0] ?? where) : where,
      `${prefix}${via.attribute.stored}.`,
    );
  }
  if (condition.kind !== 'test' || condition.test.negated) return null;
  const { operator } = condition.test;
  const path = `${prefix}${condition.attribute.stored}`;
  const { kind, index } = rowOfTest(operator);
  if (kind === 'equality') return { path, equal: true };
  return index === 'range' ? { path, equal: false } : null;
}

/** The paths that filters through relations test in target types, and the paths by which those are joined. */
function relatedBy(condition: Condition, type: ContentType): readonly Wanted[] {
  if ('of' in condition) return condition.of.flatMap((part) => relatedBy(part, type));
  if (condition.kind !== 'some') return [];
  const { via, where } = condition;
  if (via.kind === 'component') return relatedBy(where, type);
  const tests = (where.kind === 'and' ? where.of : [where]).flatMap((part) => indexPath(part) ?? []);
  const [first] = [...tests].sort((a, b) => Number(b.equal) - Number(a.equal));
  const own = first && first.path !== '_id' ? [single(via.target, first.path)] : [];
  return [...own, ...relatedBy(where, via.target)];
}

/** The fields by which populated targets are looked up. */
const populatedBy = ({ relations, components, zones }: SelectedFields): readonly Wanted[] => [
  ...relations.flatMap(({ attribute, targets }) =>
    targets.flatMap(({ target, selection }) => [
      ...(attribute.link.foreign === '_id' ? [] : [single(target, attribute.link.foreign)]),
      ...populatedBy(selection),
    ]),
  ),
  ...components.flatMap(({ selection }) => populatedBy(selection)),
  ...zones.flatMap(({ on }) => [...on.values()].flatMap(populatedBy)),
];

const single = (type: ContentType, path: string): Wanted => ({
  type,
  keys: { [path]: 1 },
  anyOf: new Set([path]),
});
