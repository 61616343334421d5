import type { Document } from 'bson';
import type { Column, ColumnNeed } from '../columns/column.js';
import { compileColumnFilter, type MatchingRows } from '../columns/column-filter.js';
import type { ColumnView } from '../columns/column-table.js';
import { recordKey } from '../storage/layout.js';
import type { Reader } from '../storage/view.js';
import { PAUSE, type Paced, type Pause } from '../values/pace.js';
import { use } from '../values/shortcuts.js';
import { isTurnOver, tick } from '../values/work.js';
import { isSmall } from './choose-plan.js';
import { filterText } from './filter-text.js';
import { type IndexScan, isCountScan, type Plan, type Query } from './plan.js';
import type { ScanMeter } from './scan.js';

/**
 * The number of index entries that can be read, each with its record, in the time that one row of columns
 * takes.
 */
const WALK_SHARE = 1 / 32;
/** Number of rows in a sample. */
const SAMPLE = 256;
const MOST_SORTED = 32;
/** The maximum share of matching rows for which matches are remembered. */
const KEPT_SHARE = 1 / 8;

/** How the rows of columns are compared and ordered in place of a plan's scan. */
interface Reading {
  /** The sort of the query and, for rows that are equal in it, the order in which the plan would return them. */
  readonly sort: Document;
  /** Whether rows that are equal in all of that are returned in reverse order. */
  readonly isReverse: boolean;
}

const PLAIN: Reading = { sort: {}, isReverse: false };

/** The order of an index scan. */
function walkOrder({ index, bounds, reverse }: IndexScan): Document {
  const paths = index.paths.slice(bounds.fixed);
  return Object.fromEntries(
    paths.map((path, i) => [path, (index.directions[bounds.fixed + i] as number) * (reverse ? -1 : 1)]),
  );
}

/** Whether a sort can reproduce the order of an index's entries. */
const isPlainIndex = ({ index }: IndexScan): boolean =>
  index.meta.multikey.length === 0 &&
  index.meta.cut !== true &&
  index.collation === undefined &&
  index.hashedPath === undefined;

const isPlainSort = (sort: Document): boolean =>
  Object.entries(sort).every(
    ([path, direction]) => !path.startsWith('$') && !Number.isNaN(Number(direction)),
  );

/** What a query requests of the matching records: the records, their number, or their values at a path. */
type Wanted = 'records' | 'count' | { readonly values: string };

/** Whether the plan needs no document to be tested or sorted. */
const needsNone = (plan: Plan, wanted: Wanted): boolean =>
  wanted === 'count' ? isCountScan(plan) : plan.exact && plan.sorted;

/** How columns may be read in place of a plan; undefined if the rows or their order would differ. */
function readingOf(plan: Plan, query: Query, wanted: Wanted): Reading | undefined {
  const { filter, hint, min, max, sort, limit } = query;
  if (hint !== undefined || min !== undefined || max !== undefined) return undefined;
  if (typeof wanted === 'object') return { ...PLAIN, sort: { [wanted.values]: 1 } };
  if (Object.keys(filter).length === 0 || needsNone(plan, wanted)) return undefined;
  if (wanted === 'count') return PLAIN;
  // Without a limit, the sorted rows could need too much memory.
  if (sort !== undefined && (!isPlainSort(sort) || limit === undefined)) return undefined;
  if (plan.kind === 'COLLSCAN') return plan.reverse ? undefined : { ...PLAIN, sort: sort ?? {} };
  // Without a sort, rows come in index order, and reading a part of the index is enough.
  if (plan.kind === 'OR' || sort === undefined || !isPlainIndex(plan)) return undefined;
  const walked = walkOrder(plan);
  const whole = { ...walked, ...sort };
  const paths = [...new Set([...Object.keys(sort), ...Object.keys(walked)])];
  if (paths.length > MOST_SORTED) return undefined;
  const ordered = Object.fromEntries(paths.map((path) => [path, whole[path]]));
  // In JavaScript objects, numeric names come first.
  const isInOrder = Object.keys(ordered).every((path, i) => path === paths[i]);
  return isInOrder ? { sort: ordered, isReverse: plan.reverse } : undefined;
}

/** Whether a plan reads more records than `most`, unless it may end early. */
function isLong(reader: Reader, plan: Plan, most: number): boolean {
  if (plan.kind === 'COLLSCAN') return true;
  if (plan.kind === 'OR') return plan.branches.some((branch) => !isSmall(reader, branch, most));
  return plan.bounds.used === 0 || !isSmall(reader, plan, most);
}

/** What columns provide about the records of a query. */
export interface ColumnRows extends MatchingRows {
  readonly view: ColumnView;
  /** The filter as text, if its matches are not known yet. */
  readonly unknown: string | undefined;
  readonly reading: Reading;
  /** The columns of the sort, or of the requested values. */
  readonly sorted: readonly Column[];
  /** The paths of the documents that are read from columns. */
  readonly paths: readonly string[];
}

const needOf = (path: string): ColumnNeed => ({ path, folded: false });

/** The matching rows among some evenly spaced ones, and their share. */
export function sampleOf({ view: { records }, rows, admits }: ColumnRows): {
  readonly rows: number[];
  readonly share: number;
} {
  const all = rows?.length ?? records.length;
  const length = Math.min(SAMPLE, all);
  const sample = Array.from({ length }, (_, i) => {
    const at = Math.floor((i * all) / length);
    return rows === undefined ? at : (rows[at] as number);
  });
  const admitted = sample.filter(admits);
  return { rows: admitted, share: all === 0 ? 0 : (admitted.length / length) * (all / records.length) };
}

/** The columns to read instead of running the plan; if there are none, `ended` reports on the plan's scan. */
interface ColumnChoice {
  readonly rows: ColumnRows | undefined;
  /** Called with the number of records read by a scan that may end early. */
  ended(examined: number): void;
}

const NO_CHOICE: ColumnChoice = { rows: undefined, ended: () => {} };

/** Opens the columns that give the same result as the plan with less work, if they exist. */
export function* chooseColumns(
  reader: Reader,
  plan: Plan,
  query: Query,
  wanted: Wanted = 'records',
): Paced<ColumnChoice> {
  const { columns, limit, collation, variables } = query;
  const reading = columns === undefined ? undefined : readingOf(plan, query, wanted);
  if (columns === undefined || reading === undefined || !query.shortcuts.on.columns) return NO_CHOICE;
  const { table } = plan.collection;
  const most = reader.count(table) * WALK_SHARE;
  if (!isLong(reader, plan, most)) return NO_CHOICE;
  const filter = compileColumnFilter(query.filter, { collation, variables });
  if (filter === undefined) return NO_CHOICE;
  const needs = [...filter.needs, ...Object.keys(reading.sort).map(needOf)];
  const mayEnd = limit !== undefined && wanted === 'records' && (query.sort === undefined || plan.sorted);
  if (!mayEnd) columns.ask(table, needs);
  const view = yield* columns.open(reader, table, needs);
  const ended = (examined: number): void => {
    if (mayEnd && examined > most) columns.ask(table, needs);
  };
  if (view === undefined) return { rows: undefined, ended };
  const text = filterText(query);
  const known = text === undefined ? undefined : view.matches.find(text);
  const rows: ColumnRows = {
    view,
    ...(known === undefined ? yield* filter.bind(view.columns) : { rows: known, admits: () => true }),
    unknown: known === undefined ? text : undefined,
    reading,
    sorted: view.columns.slice(filter.needs.length),
    paths: [...new Set(needs.map(({ path }) => path))],
  };
  const isShort =
    mayEnd &&
    plan.kind === 'IXSCAN' &&
    (limit + (query.skip ?? 0)) / sampleOf(rows).share <
      (rows.rows?.length ?? view.records.length) * WALK_SHARE;
  return isShort || !use(query.shortcuts, 'columns') ? NO_CHOICE : { rows, ended };
}

/** The result for each matching record. */
interface RowTake<T> {
  ofRow(row: number, record: number): T | undefined;
  /** Reads records directly; undefined for those that do not match. */
  ofRecords(): (bytes: Buffer, record: number) => T | undefined;
}

/** The results for the records that match a filter, in order: from columns, or from records read directly. */
export function* takeRows<T>(
  reader: Reader,
  { view, rows, admits, unknown }: ColumnRows,
  { table, meter }: { readonly table: number; readonly meter: ScanMeter },
  take: RowTake<T>,
): Generator<T | Pause> {
  const { records, apart } = view;
  meter.tables.add(table);
  const length = rows?.length ?? records.length;
  meter.docsExamined += records.length - length;
  const mostKept = records.length * KEPT_SHARE;
  const matching: number[] = [];
  const ofRecord = apart.length === 0 ? undefined : take.ofRecords();
  let next = 0;
  for (let i = 0; i <= length; i++) {
    const row = rows === undefined ? i : (rows[i] as number);
    const record = i < length ? (records[row] as number) : Number.POSITIVE_INFINITY;
    let isApart = false;
    for (; next < apart.length && (apart[next] as number) <= record; next++) {
      const other = apart[next] as number;
      isApart ||= other === record;
      const bytes = reader.get(recordKey(table, other));
      const taken = bytes === undefined ? undefined : ofRecord?.(bytes, other);
      meter.docsExamined += 1;
      if (taken !== undefined) yield taken;
      tick();
      if (isTurnOver()) yield PAUSE;
    }
    if (i === length) break;
    meter.docsExamined += 1;
    tick();
    if (isTurnOver()) yield PAUSE;
    if (!admits(row)) continue;
    // A row that is read directly in this state may not be in another.
    if (matching.length <= mostKept) matching.push(row);
    const taken = isApart ? undefined : take.ofRow(row, record);
    if (taken !== undefined) yield taken;
  }
  if (unknown !== undefined && matching.length <= mostKept) view.matches.note(unknown, matching);
}
