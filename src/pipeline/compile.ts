import type { ReadPlan, Selection } from '../query/read-plan.js';
import { atMostOne } from './at-most-one.js';
import { ALWAYS, and } from './combine.js';
import { localeMatch } from './locale.js';
import { rowsThat } from './match.js';
import { sortStages } from './order.js';
import { pageStages } from './page.js';
import { pageSelection } from './populate.js';
import { publicationStages } from './publication.js';
import { rowStages } from './rows.js';
import { newScope } from './scope.js';
import { sidesOf } from './sides.js';
import { BY_ROW, type CompiledRead, type ReadForm, Slot } from './types.js';

/**
 * A plan as the stages that read it: match, sort, page, lookups, projection (docs/architecture.md, "The life of a request"). The
 * same plan gives the same rows in every form.
 */
export function compileRead(plan: ReadPlan, form: ReadForm = BY_ROW): CompiledRead {
  const { type, status, locale, filter, publication, page } = plan;
  const source = { type, status };
  const scope = newScope(form.byLookup);
  const document = plan.documentId === null ? ALWAYS : { documentId: { $eq: new Slot('documentId') } };
  const rows = rowsThat(filter, source, and([document, localeMatch(type, locale)]), scope);
  const counted = [...rowStages(rows), ...publicationStages(publication, type, status)];
  const single = plan.documentId !== null;
  const limit = single ? 1 : page.limit;
  const sort = atMostOne(plan) ? [] : sortStages(plan.sort, source, scope);
  const inSets = form.populate === 'sets' && isWorthSets(plan.selection, limit);
  const selected = pageSelection({ selection: plan.selection, type, extra: [] }, inSets, scope);
  return {
    source,
    form,
    inForm: (other) => compileRead(plan, other),
    setJoins: selected.setJoins,
    stages: [...counted, ...sort, ...pageStages(single ? { skip: 0, limit: 1 } : page), ...selected.stages],
    counted,
    semiJoins: scope.semiJoins,
    withTotal: page.style !== 'none' && page.withCount,
    skip: page.skip,
    limit,
  };
}

/** A longer page is not gathered in one document, which may hold 16 MB. */
const MAX_SET_PAGE = 1000;

/** One entry alone has one row to look up for, unless what it populates populates more. */
const isWorthSets = (selection: Selection, limit: number | null): boolean =>
  limit !== null && limit <= MAX_SET_PAGE && (limit > 1 || populatesTwice(selection));

const populatesTwice = ({ relations, components, zones }: Selection): boolean =>
  relations.some(({ targets }) => targets.some(({ selection }) => sidesOf(selection).size > 0)) ||
  components.some(({ selection }) => populatesTwice(selection)) ||
  zones.some(({ on }) => [...on.values()].some(populatesTwice));
