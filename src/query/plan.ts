/**
 * Checked AST → plan: names become attributes, values become stored values, defaults are filled in. After this nothing of the
 * caller's text is left but cast values.
 */
import type { ContentType } from '../schema/types.js';
import type { CheckedQuery } from './ast.js';
import { always, and } from './plan/condition.js';
import type { PlanContext } from './plan/context.js';
import { planFilter } from './plan/filter.js';
import { checkJoins } from './plan/joins.js';
import { planLocale } from './plan/locale.js';
import { checkStrictPage, oneEntry, planPage, planServicePage } from './plan/page.js';
import { planSearch } from './plan/search.js';
import { planSelection } from './plan/selection.js';
import { planStableSort } from './plan/sort.js';
import { planPublication, planStatus } from './plan/version.js';
import type { Condition, Page, ReadPlan, Selection } from './read-plan.js';
import type { QueryScope, QuerySettings } from './settings.js';

/**
 * Many entries, one of them by documentId, all the locales asked for of a document, the only one of a single type, or the one that a
 * write makes: shown whatever `filters` say, which are judged and do not hide it.
 */
export type ReadTarget = 'list' | 'one' | 'locales' | 'single' | 'written';

interface ReadKind {
  readonly target: ReadTarget;
  /** A list with `start` and `limit` beside the other parameters, and no page unless they say so. */
  readonly unpaginated?: boolean;
  /** Gives the selection that an earlier plan made of the same; absent: each plan makes its own. */
  readonly selectionOf?: SelectionOf;
}

/** @param beside what the selection depends on besides `fields` and `populate`: of plain data */
export type SelectionOf = (beside: readonly unknown[], make: () => Selection) => Selection;

const BY_DOCUMENT: ReadonlySet<ReadTarget> = new Set<ReadTarget>(['one', 'locales', 'written']);

/** The plan does not depend on which document is asked for: its id is a slot that the run fills. */
const ANY_DOCUMENT = 'documentId';

/** Throws the 400s of values (rules A.10, A.11, B.4, G.9) and the 403 of drafts for strangers (rules 0.4, row 2). */
export function planRead(
  node: CheckedQuery,
  type: ContentType,
  scope: QueryScope,
  { target, unpaginated = false, selectionOf = (_, make) => make() }: ReadKind,
): ReadPlan {
  const { caller, settings } = scope;
  const written = target === 'written';
  const asked = planPublication(node, caller, settings);
  const publication = written ? null : asked;
  const status = planStatus(node.status, type, caller, settings);
  const single = target !== 'list' && target !== 'locales';
  const locale = planLocale({ ...node, filters: written ? null : node.filters }, type, single, settings);
  const page = planPageOf(node, target, unpaginated, settings);
  const of = (param: PlanContext['param']): PlanContext => ({ ...scope, status, locale, publication, param });
  const sort = planStableSort(node.sort, type, of('sort'));
  const filter = planFilter(node.filters, type, of('filters'));
  const locales = type.localized ? planFilter(node.localeFilter, type, of('locale')) : always;
  const conditions = and([filter, locales, planSearch(node.search, type, of('filters'))]);
  const joined = !written && isJoined(filter);
  const extra = joined ? sort : [];
  const plan: ReadPlan = {
    type,
    status,
    locale,
    sort,
    filter: written ? { kind: 'always' } : conditions,
    publication: type.draftAndPublish ? publication : null,
    documentId: BY_DOCUMENT.has(target) ? ANY_DOCUMENT : null,
    page,
    selection: selectionOf([status, locale, publication, joined ? node.sort : null], () =>
      planSelection(type, { ...node, sort: extra }, of('populate')),
    ),
  };
  checkJoins(plan, settings.limits);
  return plan;
}

/** Whether Strapi's query for it has joins. */
const isJoined = (condition: Condition): boolean =>
  condition.kind === 'some' || ('of' in condition && condition.of.some(isJoined));

function planPageOf(
  { pagination }: CheckedQuery,
  target: ReadTarget,
  unpaginated: boolean,
  settings: QuerySettings,
): Page {
  const { root = {} } = pagination;
  const one = target !== 'list';
  if (one && settings.strictValues) checkStrictPage(root);
  if (one) return oneEntry;
  if (unpaginated) return planServicePage({ start: root.start, limit: root.limit, root }, settings);
  return (settings.mode === 'rest' ? planPage : planServicePage)(pagination, settings);
}
