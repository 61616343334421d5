import type { Condition, Page, ReadPlan, Selection, Version } from '../query/read-plan.js';
import { shownItems } from '../query/selected.js';
import { versionsOf } from '../query/versions.js';
import type { ContentType } from '../schema/types.js';
import { meetsAdopted, readsValuesOfOthers } from './adopted.js';
import { collectionName } from './collection.js';
import { rowsThat } from './filters/match.js';
import { pageSelection } from './populate/populate.js';
import { populateFieldsOf } from './populate/populate-fields.js';
import { shapeOf } from './populate/shape.js';
import { newScope } from './relations/scope.js';
import { ALWAYS, and } from './rows/combine.js';
import { localeMatch } from './rows/locale.js';
import { publicationStages } from './rows/publication.js';
import { matchesAndJoins } from './rows/rows.js';
import { sortStages } from './sorts/order.js';
import { orderingOf } from './sorts/ordering.js';
import { isServedByIndex } from './sorts/sort-index.js';
import { BY_ROW, type CompiledRead, type Match, type ReadForm, Slot, type Stage } from './types.js';

/**
 * A plan as the stages that read it: match, sort, page, lookups, projection (docs/architecture.md, "The life of a request"). The
 * same plan gives the same rows in every form.
 */
export function compileRead(plan: ReadPlan, form: ReadForm = BY_ROW): CompiledRead {
  const { type, status, locale, filter, publication, page, documentId } = plan;
  const versions = versionsOf(type, status);
  const source = { type, status };
  const scope = newScope(form.byLookup);
  const document = documentId === null ? ALWAYS : documentMatch(type);
  const base = and([document, localeMatch(type, locale)]);
  const rowsOf = (version: Version): RowsOf => {
    const [matches, joins] = matchesAndJoins(rowsThat(filter, { type, status: version }, base, scope));
    return { matches, joined: [...joins, ...publicationStages(publication, type, version)] };
  };
  const drafts = versions.length > 1 ? rowsOf('draft') : null;
  const { matches, joined } = rowsOf(versions.at(-1) ?? status);
  const added = drafts ? [withDrafts(type, drafts)] : [];
  const counted = [...matches, ...joined, ...added];
  // Of an adopted document that another has the same text as, there are two, which is refused.
  const { skip, limit } = documentId === null ? page : { skip: 0, limit: type.storage?.id === 'any' ? 2 : 1 };
  // Before the sort, which may take one form or another: semi-joins are numbered alike in all of them.
  const adopted = meetsAdopted(plan);
  const inSets = !adopted && form.populate === 'sets' && isWorthSets(plan.selection, limit);
  const selected = pageSelection({ selection: plan.selection, type, extra: [] }, inSets, scope);
  const byIndex = isServedByIndex(plan.sort, type);
  const sorts = !atMostOne(plan);
  const ordering =
    sorts && !adopted && form.sort === 'sets' && limit !== null ? orderingOf(plan.sort, source, scope) : null;
  const order = sorts && !ordering ? sortStages(plan.sort, source, scope) : [];
  const own = inOrder(matches, joined, order, byIndex);
  const sorted = drafts ? [...firstOf(own, order, { skip, limit }), ...added, ...order] : own;
  return {
    source: drafts ? { type, status: 'undrafted' } : source,
    form,
    inForm: (other) => compileRead(plan, other),
    ordering,
    setJoins: selected.setJoins,
    readsValuesOfOthers: readsValuesOfOthers(plan),
    shape: adopted ? shapeOf(plan.selection, type) : null,
    stages: [...(ordering ? [PAGE_BY_IDS] : pageStages(sorted, { skip, limit })), ...selected.stages],
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

/** The drafts beside the documents that have none. */
const withDrafts = (type: ContentType, { matches, joined }: RowsOf): Stage => ({
  $unionWith: { coll: collectionName(type, 'draft'), pipeline: [...matches, ...joined] },
});

/** No more rows than the page can show of them, where their order takes no lookups. */
const firstOf = (
  stages: readonly Stage[],
  order: readonly Stage[],
  { skip, limit }: Pick<Page, 'skip' | 'limit'>,
): readonly Stage[] =>
  limit === null || order.length !== 1 ? stages : [...stages, { $limit: skip + limit }];

const documentMatch = (type: ContentType): Match =>
  type.storage ? { _id: { $in: new Slot('keys') } } : { documentId: { $eq: new Slot('documentId') } };

const PAGE_BY_IDS: Stage = Object.freeze({ $match: { id: { $in: new Slot('page') } } });

/** Rows that an index gives in their order are joined one by one until the page is full; others are few before they are sorted. */
const inOrder = (
  matches: readonly Stage[],
  joined: readonly Stage[],
  order: readonly Stage[],
  byIndex: boolean,
): readonly Stage[] => (byIndex ? [...matches, ...order, ...joined] : [...matches, ...joined, ...order]);

/** A longer page is not gathered in one document, which may hold 16 MB. */
const MAX_SET_PAGE = 1000;

/** One entry alone has one row to look up for, unless what it populates populates more. */
const isWorthSets = (selection: Selection, limit: number | null): boolean =>
  limit !== null && limit <= MAX_SET_PAGE && (limit > 1 || populatesTwice(selection));

const populatesTwice = (shown: Selection): boolean =>
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
 * Whether at most one entry can match, so that there is nothing to sort: its document is given, or the value of an attribute that
 * is unique among published entries of one locale. A server without statistics may otherwise walk the sort's index for it.
 */
const atMostOne = ({ type, status, locale, filter, documentId }: ReadPlan): boolean => {
  if (documentId !== null) return true;
  // What others say is unique is so where their index holds it.
  if (type.storage) return false;
  if (type.draftAndPublish && status === 'draft') return false;
  return (!type.localized || locale.kind === 'one') && parts(filter).some(namesOne);
};

const parts = (filter: Condition): readonly Condition[] => (filter.kind === 'and' ? filter.of : [filter]);

const namesOne = (condition: Condition): boolean => {
  if (condition.kind !== 'test') return false;
  const { attribute, test } = condition;
  const one = test.operator === 'eq' || (test.operator === 'in' && test.values.length === 1);
  // The empty text is left out of unique indexes (rules E.5).
  return one && !test.negated && test.values[0] !== '' && attribute.unique;
};
