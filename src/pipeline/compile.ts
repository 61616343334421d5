import type { ReadPlan } from '../query/read-plan.js';
import { atMostOne } from './at-most-one.js';
import { ALWAYS, and } from './combine.js';
import { localeMatch } from './locale.js';
import { rowsThat } from './match.js';
import { sortStages } from './order.js';
import { pageStages } from './page.js';
import { selectionStages } from './populate.js';
import { publicationStages } from './publication.js';
import { rowStages } from './rows.js';
import { newScope } from './scope.js';
import { type CompiledRead, Slot } from './types.js';

const NONE: ReadonlySet<number> = new Set();

/**
 * A plan as the stages that read it: match, sort, page, lookups, projection (DESIGN "Reading"). `byLookup` holds the numbers of
 * semi-joins that turned out too large for a list of ids; the same plan compiled with them gives the same rows by `$lookup`.
 */
export function compileRead(plan: ReadPlan, byLookup: ReadonlySet<number> = NONE): CompiledRead {
  const { type, status, locale, filter, publication, page } = plan;
  const source = { type, status };
  const scope = newScope(byLookup);
  const document = plan.documentId === null ? ALWAYS : { documentId: { $eq: new Slot('documentId') } };
  const rows = rowsThat(filter, source, and([document, localeMatch(type, locale)]), scope);
  const counted = [...rowStages(rows), ...publicationStages(publication, type, status)];
  const single = plan.documentId !== null;
  return {
    source,
    stages: [
      ...counted,
      ...(atMostOne(plan) ? [] : sortStages(plan.sort, source, scope)),
      ...pageStages(single ? { skip: 0, limit: 1 } : page),
      ...selectionStages(plan.selection, type, [], scope),
    ],
    counted,
    semiJoins: scope.semiJoins,
    withTotal: page.style !== 'none' && page.withCount,
    skip: page.skip,
    limit: single ? 1 : page.limit,
  };
}
