import type { Condition, Page, ReadPlan, SelectedFields } from '../query/read-plan.js';
import { shownItems } from '../query/selected.js';
import { isServedByIndex } from '../query/sort-index.js';
import type { ContentType } from '../schema/types.js';
import { dependsOnAdopted, readsAdopted } from './adopted.js';
import { rowsThat, visibleStages } from './filters/match.js';
import { pageSelection } from './populate/populate.js';
import { populateFieldsOf } from './populate/populate-fields.js';
import { newScope, seeingAll } from './relations/scope.js';
import { ALWAYS, allMatch } from './rows/combine.js';
import { localeMatch } from './rows/locale.js';
import { matchesAndJoins } from './rows/rows.js';
import { sortStages } from './sorts/order.js';
import { orderingOf } from './sorts/ordering.js';
import { publicationStages } from './sources/publication.js';
import { sourcesOfPlan } from './sources/sources-of.js';
import {
  BY_ROW,
  type CompiledRead,
  type Match,
  type ReadForm,
  Slot,
  type Source,
  type Stage,
} from './types.js';

/**
 * Compiles a plan to aggregation stages: match, sort, page, lookups, projection (docs/architecture.md, "The
 * life of a request"). A plan gives the same rows in every form.
 */
export function compileRead(plan: ReadPlan, form: ReadForm = BY_ROW): CompiledRead {
  const { type, locale, filter, publication, page, documentId } = plan;
  const [source, ...others] = sourcesOfPlan(plan);
  const scope = newScope(form, plan.visible);
  const rootScope = plan.visible?.exceptRoot ? seeingAll(scope) : scope;
  const document = documentId === null ? ALWAYS : documentMatch(type);
  const base = allMatch([document, localeMatch(type, locale)]);
  const siblings = (sibling: Source) => visibleStages(sibling, rootScope);
  const rowsOf = (each: Source): RowsOf => {
    const [matches, joins] = matchesAndJoins(rowsThat(filter, each, base, rootScope));
    return { matches, joined: [...joins, ...publicationStages(publication, each, siblings)] };
  };
  const { matches, joined } = rowsOf(source);
  const added = others.map((each) => union(each, rowsOf(each)));
  const counted = [...matches, ...joined, ...added];
  // Two documents of an adopted collection may have `_id`s with the same text; reading two of them detects
  // that, and the request is refused.
  const { skip, limit } = documentId === null ? page : { skip: 0, limit: type.storage?.id === 'any' ? 2 : 1 };
  // Before the sort, whose form may vary: so semi-joins get the same numbers in every form.
  const adopted = readsAdopted(plan);
  const isOne = others.length === 0;
  const inSets = !adopted && isOne && form.populate === 'sets' && isWorthSets(plan.selection, limit);
  const selected = pageSelection(
    { selection: plan.selection, type, extra: extraFields(plan) },
    inSets,
    scope,
  );
  const byIndex = !plan.versions && isServedByIndex(plan.sort, type);
  const sorts = !plan.versions && !atMostOne(plan);
  const ordering =
    sorts && !adopted && isOne && form.sort === 'sets' && limit !== null
      ? orderingOf(plan.sort, source, scope)
      : null;
  const order = plan.versions ? NEWEST : sorts && !ordering ? sortStages(plan.sort, source, scope) : [];
  const own = inOrder(matches, joined, order, byIndex);
  const sorted = others.length > 0 ? [...firstOf(own, order, { skip, limit }), ...added, ...order] : own;
  return {
    source,
    form,
    inForm: (other) => compileRead(plan, other),
    ordering,
    setJoins: selected.setJoins,
    dependsOnAdopted: dependsOnAdopted(plan),
    stages: [...(ordering ? [pageByIds(source)] : pageStages(sorted, { skip, limit })), ...selected.stages],
    counted,
    semiJoins: scope.semiJoins,
    withTotal: page.style !== 'none' && page.withCount,
    skip: page.skip,
    limit,
  };
}

interface RowsOf {
  readonly matches: readonly Stage[];
  readonly joined: readonly Stage[];
}

/** Adds the rows of a further source. */
const union = ({ collection }: Source, { matches, joined }: RowsOf): Stage => ({
  $unionWith: { coll: collection, pipeline: [...matches, ...joined] },
});

/**
 * Limits the rows of one source to those that the page can show before others are added, if sorting needs no
 * lookups.
 */
const firstOf = (
  stages: readonly Stage[],
  order: readonly Stage[],
  { skip, limit }: Pick<Page, 'skip' | 'limit'>,
): readonly Stage[] =>
  limit === null || order.length !== 1 ? stages : [...stages, { $limit: skip + limit }];

const documentMatch = (type: ContentType): Match =>
  type.storage ? { _id: { $in: new Slot('keys') } } : { documentId: { $eq: new Slot('documentId') } };

const pageByIds = ({ match }: Source): Stage => ({
  $match: allMatch([match, { id: { $in: new Slot('page') } }]),
});

/** What the rows have besides what is shown. */
const extraFields = ({ revision, versions }: ReadPlan): readonly string[] => [
  ...(revision ? ['_rev'] : []),
  ...(versions ? ['_version', 'locale'] : []),
];

/** The newest versions first; the two of one write in a fixed order. */
const NEWEST: readonly Stage[] = Object.freeze([{ $sort: { '_version.from': -1, id: 1 } }]);

/**
 * If an index provides the order, rows are joined one by one until the page is full; otherwise the joins
 * first reduce the rows to be sorted.
 */
const inOrder = (
  matches: readonly Stage[],
  joined: readonly Stage[],
  order: readonly Stage[],
  byIndex: boolean,
): readonly Stage[] => (byIndex ? [...matches, ...order, ...joined] : [...matches, ...joined, ...order]);

/** Larger pages are not gathered into one document, which is limited to 16 MB. */
const MAX_SET_PAGE = 1000;

/**
 * A single entry needs only one lookup per path, so sets help it only if populated entries populate further
 * ones.
 */
const isWorthSets = (selection: SelectedFields, limit: number | null): boolean =>
  limit !== null && limit <= MAX_SET_PAGE && (limit > 1 || populatesTwice(selection));

const populatesTwice = (shown: SelectedFields): boolean =>
  shown.relations.some(({ targets }) =>
    targets.some(({ selection }) => populateFieldsOf(selection).size > 0),
  ) || shownItems(shown).some(populatesTwice);

const pageStages = (
  rows: readonly Stage[],
  { skip, limit }: Pick<Page, 'skip' | 'limit'>,
): readonly Stage[] => [
  ...rows,
  ...(skip > 0 ? [{ $skip: skip }] : []),
  ...(limit === null ? [] : [{ $limit: limit }]),
];

/**
 * Whether at most one entry can match, so that there is nothing to sort: the read names its document, or the
 * value of an attribute that is unique among the published entries of a locale. Without this, a server
 * without statistics may scan the whole index of the sort.
 */
const atMostOne = ({ type, status, locale, filter, documentId, toCome }: ReadPlan): boolean => {
  if (documentId !== null) return true;
  // Drafts may have the same value.
  if (toCome) return false;
  // In adopted collections, uniqueness is only guaranteed if the collection has a unique index.
  if (type.storage) return false;
  if (type.draftAndPublish && status === 'draft') return false;
  return (!type.localized || locale.kind === 'one') && parts(filter).some(matchesOne);
};

const parts = (filter: Condition): readonly Condition[] => (filter.kind === 'and' ? filter.of : [filter]);

const matchesOne = (condition: Condition): boolean => {
  if (condition.kind !== 'test') return false;
  const { attribute, test } = condition;
  const one = test.operator === 'eq' || (test.operator === 'in' && test.values.length === 1);
  // Unique indexes leave out the empty string.
  return one && !test.negated && test.values[0] !== '' && attribute.unique;
};
