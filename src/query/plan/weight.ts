import type { Condition, ReadPlan, Selection, TestOperator } from '../read-plan.js';

/** What a list of related entries or items holds on average, for an estimate. */
const MANY = 10;
/** Entries of a page without a limit. */
const ALL = 1000;
/** What one filter through a relation looks at. */
const JOIN = 200;

/** What one test for a part of a text looks at: no index serves it, so it reads every entry. */
const PART = 250;
const PARTS: ReadonlySet<TestOperator> = new Set([
  'contains',
  'containsi',
  'endsWith',
  'endsWithi',
  'search',
]);

/** Roughly how many entries and items a read walks through and shows; reads of more than `HEAVY` wait for each other. */
export const weightOf = ({ page, selection, filter }: ReadPlan): number =>
  (page.limit ?? ALL) * rowsOf(selection) + page.skip + walkedBy(filter);

export const HEAVY = 1500;

function rowsOf({ components, zones, relations }: Selection): number {
  let rows = 1;
  for (const { attribute, selection } of components) rows += (attribute.many ? MANY : 1) * rowsOf(selection);
  for (const { on } of zones) rows += Math.max(0, ...[...on.values()].map((each) => MANY * rowsOf(each)));
  for (const { attribute, targets } of relations)
    for (const { selection } of targets) rows += (attribute.many ? MANY : 1) * rowsOf(selection);
  return rows;
}

function walkedBy(condition: Condition): number {
  switch (condition.kind) {
    case 'and':
    case 'or':
      return condition.of.reduce((sum, part) => sum + walkedBy(part), 0);
    case 'some':
      return JOIN + walkedBy(condition.where);
    case 'test':
      return PARTS.has(condition.test.operator) ? PART : condition.test.values.length;
    default:
      return 0;
  }
}
