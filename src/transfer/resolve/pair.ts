import type { Staging } from '../../store/transfer/staging.js';
import { inBatches } from '../run/batches.js';
import type { Import } from '../run/context.js';
import { type GroupRow, type PairRow, placeOf, type Row } from '../run/rows.js';
import type { Problems } from '../run/state.js';
import { lost } from '../source/types.js';

/**
 * Joins rows that are locales of one document: each pair unites two trees of `groups`, whatever the order and however many pairs are
 * missing, as long as they connect the group.
 */
export const pair = (run: Import): Promise<void> =>
  inBatches<PairRow>(run, { name: 'pairs' }, (pairs, problems) => unite(run, pairs, problems));

async function unite(
  { staging, state, defaultLocale }: Import,
  pairs: readonly PairRow[],
  problems: Problems,
): Promise<void> {
  const keys = [...new Set(pairs.flatMap(({ keys }) => keys))];
  const groups = await withRoots(staging, keys);
  const rows = await staging.find<Row>('rows', keys);
  const main = state.defaultLocale ?? defaultLocale;
  const changed = new Set<string>();
  const rootOf = (key: string): GroupRow | null => {
    const row = rows.get(key);
    const known = groups.get(key);
    if (!known && !row) return null;
    let group: GroupRow = known ?? {
      _id: key,
      up: null,
      rank: row?.locale === main ? 0 : 1,
      n: row?.n ?? 0,
    };
    groups.set(key, group);
    for (let up = group.up; up !== null; up = group.up) group = groups.get(up) ?? { ...group, up: null };
    return group;
  };
  for (const { keys: ends } of pairs) {
    const [a, b] = ends.map(rootOf);
    if (!a || !b) {
      const [from = '', to = ''] = ends;
      const at = `${from} localizations → ${to}`;
      const missing = a ? to : from;
      problems.add(lost('link', at, `${missing} is not in the source`));
      continue;
    }
    if (a._id === b._id) continue;
    const [first, second] = inOrder(a, b);
    groups.set(second._id, { ...second, up: first._id });
    changed.add(first._id).add(second._id);
  }
  for (const key of keys) if (groups.has(key)) changed.add(key);
  await staging.replace(
    'groups',
    [...changed].flatMap((key) => groups.get(key) ?? []),
  );
}

const inOrder = (a: GroupRow, b: GroupRow): [GroupRow, GroupRow] =>
  a.rank < b.rank || (a.rank === b.rank && a.n < b.n) ? [a, b] : [b, a];

/** These groups and all that are above them. */
export async function withRoots(staging: Staging, keys: readonly string[]): Promise<Map<string, GroupRow>> {
  const known = new Map<string, GroupRow>();
  let wanted = [...keys];
  while (wanted.length > 0) {
    for (const [key, group] of await staging.find<GroupRow>('groups', wanted)) known.set(key, group);
    const above = [...known.values()].flatMap(({ up }) => (up === null || known.has(up) ? [] : [up]));
    wanted = [...new Set(above)];
  }
  return known;
}

/** The row that stands for the document of `key`. */
export function standsFor(groups: ReadonlyMap<string, GroupRow>, key: string): string {
  let at = key;
  for (let up = groups.get(at)?.up ?? null; up !== null; up = groups.get(at)?.up ?? null) at = up;
  return at;
}

export const placeOfRoot = (groups: ReadonlyMap<string, GroupRow>, key: string) =>
  placeOf(standsFor(groups, key));
