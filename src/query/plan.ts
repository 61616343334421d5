/**
 * Checked query → plan: values are cast, defaults are filled in. From here on, the only text from the caller
 * is in cast values.
 */
import type { ContentType } from '../schema/types.js';
import type { CheckedQuery } from './checked.js';
import { and, hopsOfCondition } from './plan/condition.js';
import type { PlanContext } from './plan/context.js';
import { planFilter } from './plan/filter.js';
import { checkJoins } from './plan/joins.js';
import { planLocale } from './plan/locale.js';
import { planMoment } from './plan/moment.js';
import { checkStrictPage, oneEntry, planFirst, planPage, planServicePage } from './plan/page.js';
import { planSearch } from './plan/search.js';
import { planSelection } from './plan/selection.js';
import { planStableSort } from './plan/sort.js';
import { planPublication, planStatus } from './plan/version.js';
import { visibleTypes } from './plan/visible.js';
import type { Page, ReadPlan, SelectedFields, ToCome, VersionChoice } from './read-plan.js';
import type { QueryScope, QuerySettings } from './settings.js';
import { mayReadDrafts } from './versions.js';

/**
 * What a read returns: a list, one document by documentId, the matching locales of a document, the document
 * of a single type, or the entry that a write produces. The last is returned whether or not it matches
 * `filters`, which are only validated.
 */
export type ReadTarget = 'list' | 'one' | 'locales' | 'single' | 'written';

interface ReadKind {
  readonly target: ReadTarget;
  /** A list with `start` and `limit` at the root of the query, and no limit by default. */
  readonly unpaginated?: boolean;
  /** Reads the revision of a single entry; documents of other programs have none. */
  readonly revision?: boolean;
  /** Reads entries as they will be, in place of the status and time of the query. */
  readonly toCome?: ToCome;
  /** Reads versions of the entries that match instead. */
  readonly versions?: VersionChoice;
  /** Returns the selection of an earlier equal plan; if absent, each plan makes its own. */
  readonly selectionOf?: SelectionOf;
}

/** @param dependsOn what the selection depends on besides `fields` and `populate`, as plain data */
export type SelectionOf = (dependsOn: readonly unknown[], make: () => SelectedFields) => SelectedFields;

const BY_DOCUMENT: ReadonlySet<ReadTarget> = new Set<ReadTarget>(['one', 'locales', 'written']);

/** Writes have no moment. */
const READS: ReadonlySet<ReadTarget> = new Set<ReadTarget>(['list', 'one', 'single']);

const REVISED: ReadonlySet<ReadTarget> = new Set<ReadTarget>(['one', 'single']);

/** The plan does not contain the requested documentId, only a slot for it. */
const ANY_DOCUMENT = 'documentId';

/** Throws a 400 for a value that does not fit, and a 403 for drafts that the caller may not read. */
export function planRead(
  node: CheckedQuery,
  type: ContentType,
  scope: QueryScope,
  {
    target,
    unpaginated = false,
    revision = false,
    toCome,
    versions,
    selectionOf = (_, make) => make(),
  }: ReadKind,
): ReadPlan {
  const { caller, settings } = scope;
  const written = target === 'written';
  const drafts = mayReadDrafts(caller, settings);
  // What the project's code asks for itself; relations lead to what the caller may read.
  const mayAskForDrafts = drafts || caller.seesAll === true;
  const restriction = planPublication(node, mayAskForDrafts);
  const publication = written ? null : restriction;
  const status = toCome ? 'published' : planStatus(node.status, type, mayAskForDrafts, settings);
  const moment = toCome ? null : planMoment(node.at, type, scope, READS.has(target));
  const single = target !== 'list' && target !== 'locales';
  const locale = planLocale({ ...node, filters: written ? null : node.filters }, type, single, settings);
  const page = planPageOf(node, target, unpaginated, settings);
  const context = { ...scope, entry: type, drafts, status, moment, locale, publication };
  const of = (param: PlanContext['param']): PlanContext => ({ ...context, param });
  const sort = planStableSort(node.sort, type, of('sort'));
  const filter = planFilter(node.filters, type, of('filters'));
  const locales = planFilter(node.localeFilter, type, of('locale'));
  const conditions = and([filter, locales, planSearch(node.search, type, of('filters'))]);
  // The corresponding query of Strapi has joins.
  const joined = !written && hopsOfCondition(filter).length > 0;
  const extra = joined ? sort : [];
  const byType = visibleTypes(scope);
  // The revision would tell of changes to attributes that a rule leaves out.
  const hasFields = (caller.grants?.reads?.get(type.uid)?.fields ?? null) !== null;
  const plan: ReadPlan = {
    type,
    status,
    moment,
    ...(toCome && { toCome }),
    ...(versions && { versions }),
    locale,
    sort,
    filter: written ? { kind: 'always' } : conditions,
    publication: type.draftAndPublish ? publication : null,
    documentId: BY_DOCUMENT.has(target) ? ANY_DOCUMENT : null,
    page,
    ...(revision && REVISED.has(target) && !type.storage && !hasFields && { revision }),
    selection: selectionOf([status, moment?.at ?? null, locale, publication, joined ? node.sort : null], () =>
      planSelection(type, { ...node, sort: extra }, of('populate')),
    ),
    ...(byType && { visible: { byType, exceptRoot: written } }),
  };
  checkJoins(plan, settings.limits);
  return plan;
}

function planPageOf(
  { pagination }: CheckedQuery,
  target: ReadTarget,
  unpaginated: boolean,
  settings: QuerySettings,
): Page {
  const { root = {} } = pagination;
  const one = target !== 'list';
  if (one && settings.strictValues) checkStrictPage(root);
  if (target === 'single' && settings.mode === 'service') return planFirst(pagination, settings);
  if (one) return oneEntry;
  if (unpaginated) return planServicePage({ start: root.start, limit: root.limit, root }, settings);
  return (settings.mode === 'rest' ? planPage : planServicePage)(pagination, settings);
}
