import type { Staging } from '../../store/transfer/staging.js';
import { eachStagedBatch } from '../run/batches.js';
import type { Import } from '../run/context.js';
import type { EntryRow, GroupRow, PairRow } from '../run/rows.js';
import { lost } from '../source/types.js';

/**
 * Groups rows that are locales of the same document (union–find): each pair unites two trees of `groups`. The
 * order does not matter, and pairs may be missing as long as the others connect the group.
 */
export const pair = (run: Import): Promise<void> =>
  eachStagedBatch<PairRow>(run, { name: 'pairs' }, (pairs) => unite(run, pairs));

async function unite(run: Import, pairs: readonly PairRow[]): Promise<void> {
  const { staging, state, defaultLocale } = run;
  const keys = [...new Set(pairs.flatMap(({ keys }) => keys))];
  const groups = await withRoots(staging, keys);
  const rows = await staging.find<EntryRow>('rows', keys);
  const main = state.defaultLocale ?? defaultLocale;
  const changed = new Set<string>();
  const rootOf = (key: string): GroupRow | null => {
    const row = rows.get(key);
    const made = row && { _id: key, up: null, rank: row.locale === main ? 0 : 1, n: row.n };
    const group = groups.get(key) ?? made;
    if (!group) return null;
    groups.set(key, group);
    const root = standsFor(groups, key);
    for (const one of flatten(groups, key, root)) changed.add(one);
    return groups.get(root) ?? group;
  };
  for (const { keys: ends } of pairs) {
    const [from, to] = ends;
    const [a, b] = [rootOf(from), rootOf(to)];
    if (!a || !b)
      run.report(lost('link', `${from} localizations → ${to}`, `${a ? to : from} is not in the source`));
    else if (a._id !== b._id) {
      const [first, second] = inOrder(a, b);
      groups.set(second._id, { ...second, up: first._id });
      changed.add(first._id).add(second._id);
    }
  }
  for (const key of groups.keys())
    for (const one of flatten(groups, key, standsFor(groups, key))) changed.add(one);
  for (const key of keys) if (groups.has(key)) changed.add(key);
  await staging.replace(
    'groups',
    [...changed].flatMap((key) => groups.get(key) ?? []),
  );
}

const inOrder = (a: GroupRow, b: GroupRow): [GroupRow, GroupRow] =>
  a.rank < b.rank || (a.rank === b.rank && a.n < b.n) ? [a, b] : [b, a];

/**
 * Puts every group on the way to the root directly below it, so that no way gets long: each step of it is a
 * query. Returns the groups that changed.
 */
function flatten(groups: Map<string, GroupRow>, key: string, root: string): readonly string[] {
  const moved: string[] = [];
  for (let group = groups.get(key); group && group.up !== null && group.up !== root; ) {
    groups.set(group._id, { ...group, up: root });
    moved.push(group._id);
    group = groups.get(group.up);
  }
  return moved;
}

/** These groups and all their ancestors. */
export async function withRoots(staging: Staging, keys: readonly string[]): Promise<Map<string, GroupRow>> {
  const known = new Map<string, GroupRow>();
  for (let wanted = [...keys]; wanted.length > 0; ) {
    const found = await staging.find<GroupRow>('groups', wanted);
    for (const [key, group] of found) known.set(key, group);
    const above = [...found.values()].flatMap(({ up }) => (up === null || known.has(up) ? [] : [up]));
    wanted = [...new Set(above)];
  }
  return known;
}

/** The row at the root of the tree of `key`, which represents the document. */
export function standsFor(groups: ReadonlyMap<string, GroupRow>, key: string): string {
  let at = key;
  for (let up = groups.get(at)?.up ?? null; up !== null; up = groups.get(at)?.up ?? null) at = up;
  return at;
}
