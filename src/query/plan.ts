/**
 * Checked AST → plan: names become attributes, values become stored values, defaults are filled in. After this nothing of the
 * caller's text is left but cast values.
 */
import type { ContentType, Schema } from '../schema/types.js';
import type { CheckedQuery } from './ast.js';
import { and } from './plan/condition.js';
import type { PlanContext } from './plan/context.js';
import { planFilter } from './plan/filter.js';
import { checkJoins } from './plan/joins.js';
import { planLocale } from './plan/locale.js';
import { oneEntry, planPage, planServicePage } from './plan/page.js';
import { planPublication } from './plan/publication.js';
import { planSearch } from './plan/search.js';
import { planSelection } from './plan/selection.js';
import { planStableSort } from './plan/sort.js';
import { planStatus } from './plan/status.js';
import { checkStrictPage } from './plan/strict-page.js';
import type { Caller, Condition, Page, ReadPlan } from './read-plan.js';
import type { QuerySettings } from './settings.js';

/**
 * `documentId`: find one. `single`: at most one entry is answered (single types, `findFirst`). `locales`: of the document, those asked
 * for, as in a list.
 */
export interface ReadTarget {
  readonly documentId: string | null;
  readonly single: boolean;
  readonly locales?: boolean;
  /** A list with `start` and `limit` beside the other parameters, and no page unless they say so. */
  readonly unpaginated?: boolean;
}

/** Throws the 400s of values (rules A.10, A.11, B.4, G.9) and the 403 of drafts for strangers (rules 0.4, row 2). */
export function planRead(
  node: CheckedQuery,
  type: ContentType,
  schema: Schema,
  caller: Caller,
  settings: QuerySettings,
  target: ReadTarget,
): ReadPlan {
  const one = target.documentId !== null || target.single;
  const publication = planPublication(node, caller, settings);
  const status = planStatus(node.status, type, caller, settings);
  const locale = planLocale(node.locale, type, one && !target.locales, node.filters, settings);
  const page = planPageOf(node, one, target.unpaginated ?? false, settings);
  const of = (param: PlanContext['param']): PlanContext => ({
    schema,
    caller,
    settings,
    status,
    locale,
    publication,
    param,
  });
  const sort = planStableSort(node.sort, type, of('sort'));
  const filter = planFilter(node.filters, type, of('filters'));
  const plan: ReadPlan = {
    type,
    status,
    locale,
    sort,
    filter: and([filter, planSearch(node.search, type, of('filters'))]),
    publication: type.draftAndPublish ? publication : null,
    documentId: target.documentId,
    page,
    selection: planSelection(type, node.fields, node.populate, of('populate'), isJoined(filter) ? sort : []),
  };
  checkJoins(plan, settings.limits);
  return plan;
}

/** Whether Strapi's query for it has joins. */
const isJoined = (condition: Condition): boolean =>
  condition.kind === 'some' || ('of' in condition && condition.of.some(isJoined));

function planPageOf(
  { pagination }: CheckedQuery,
  one: boolean,
  unpaginated: boolean,
  settings: QuerySettings,
): Page {
  const { root = {} } = pagination;
  if (one && settings.strictValues) checkStrictPage(root);
  if (one) return oneEntry;
  if (unpaginated) return planServicePage({ start: root.start, limit: root.limit, root }, settings);
  return (settings.mode === 'rest' ? planPage : planServicePage)(pagination, settings);
}
