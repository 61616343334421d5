import type { Status } from '../../schema/types.js';
import type { Condition, ReadPlan, RelationHop, SelectedFields, SortKey, Test } from '../read-plan.js';
import { itemFilters, shownItems } from '../selected.js';
import { rowOfTest } from '../tests.js';
import { statusesSeen } from '../versions.js';

/** Estimated average length of a list of related entries or items. */
const MANY = 10;
/** Estimated number of entries on a page without a limit. */
export const ALL = 1000;
/** Estimated number of entries examined for one step of a filter through a relation, per status. */
const JOIN = 400;
/** The same for one step of a sort through a relation, which is joined for every matching entry. */
const SORT = 1000;
/** The same for a test that no index supports, such as for part of a string. */
const SCAN = 250;

/**
 * Roughly how many entries and items a read examines and returns. Reads above `HEAVY` wait for each other.
 */
export const weightOf = ({ status, page, selection, filter, sort, publication }: ReadPlan): number =>
  (page.limit ?? ALL) * rowsOf(selection) +
  page.skip +
  walkedBy(filter, [status]) +
  walkedByFilters(selection, [status]) +
  sortedThrough(sort) +
  (publication === null ? 0 : ALL);

export const HEAVY = 1500;

function rowsOf({ components, zones, relations }: SelectedFields): number {
  let rows = 1;
  for (const { attribute, selection } of components) rows += (attribute.many ? MANY : 1) * rowsOf(selection);
  for (const { on } of zones) rows += Math.max(0, ...[...on.values()].map((each) => MANY * rowsOf(each)));
  for (const { attribute, targets } of relations)
    for (const { selection } of targets) rows += (attribute.many ? MANY : 1) * rowsOf(selection);
  return rows;
}

/** @param seen the statuses of the rows that the condition applies to */
function walkedBy(condition: Condition, seen: readonly Status[]): number {
  switch (condition.kind) {
    case 'and':
    case 'or':
      return condition.of.reduce((sum, part) => sum + walkedBy(part, seen), 0);
    case 'some':
      return condition.via.kind === 'component'
        ? walkedBy(condition.where, seen)
        : walkedByJoin(condition.via, condition.where, seen);
    case 'test':
      return seen.length * testedBy(condition.test);
    default:
      return 0;
  }
}

/** Each target is examined once per status, however many paths lead to it. */
function walkedByJoin(hop: RelationHop, where: Condition, seen: readonly Status[]): number {
  const targets = [...new Set(seen.flatMap((status) => statusesSeen(hop, status)))];
  return targets.length * JOIN + walkedBy(where, targets);
}

const testedBy = ({ operator, negated, values }: Test): number =>
  negated || rowOfTest(operator).index === 'nothing' ? SCAN : values.length;

/** The filters and sorts of populated attributes. */
function walkedByFilters(shown: SelectedFields, seen: readonly Status[]): number {
  let walked = 0;
  for (const items of shownItems(shown)) walked += walkedByFilters(items, seen);
  for (const filter of itemFilters(shown)) walked += walkedBy(filter, seen);
  for (const { sort } of shown.components) walked += sortedThrough(sort ?? []);
  for (const { targets } of shown.relations)
    for (const { status, filter, sort, selection } of targets)
      walked += walkedBy(filter, [status]) + sortedThrough(sort ?? []) + walkedByFilters(selection, [status]);
  return walked;
}

const sortedThrough = (keys: readonly SortKey[]): number =>
  keys
    .flatMap(({ via }) => via)
    .reduce((sum, hop) => sum + (hop.kind === 'component' ? 0 : (hop.attribute.many ? 2 : 1) * SORT), 0);
