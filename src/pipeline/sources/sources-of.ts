/**
 * Where a content type enters a pipeline: whatever reads a type (lists and single entries, totals, filters, sorts,
 * populate) reads its sources, and `rowsThat` (pipeline/filters/match) says which of their rows count.
 */
import type { Moment, ReadPlan, RelationHop, RelationTarget } from '../../query/read-plan.js';
import { statusesSeen } from '../../query/versions.js';
import type { ContentType, Status } from '../../schema/types.js';
import type { Source } from '../types.js';
import { adoptedSources } from './adopted-drafts.js';
import { storedAs, versionsAs } from './stored.js';
import { sourcesToCome } from './to-come.js';

/** One; two for the drafts of an adopted collection, of which the first usually has more rows. */
export type Sources = readonly [Source, ...Source[]];

/** The sources of the entries of a type in one status, now or at a moment. */
export const sourcesOf = (type: ContentType, status: Status, moment: Moment | null = null): Sources =>
  type.storage?.drafts ? adoptedSources(type, status) : [storedAs(type, status, moment)];

/** The sources of what a plan lists. */
export function sourcesOfPlan({ type, status, moment, versions, toCome }: ReadPlan): Sources {
  if (toCome) return sourcesToCome(type, toCome);
  if (!versions) return sourcesOf(type, status, moment);
  const [first, ...others] = versions.statuses;
  return [versionsAs(type, first, versions), ...others.map((other) => versionsAs(type, other, versions))];
}

/** The sources in which filters and sorts see the targets of a relation of an entry of this status. */
export const sourcesSeen = (hop: RelationHop, status: Status): readonly Source[] =>
  statusesSeen(hop, status).flatMap((seen) => sourcesOf(hop.target, seen, hop.moment));

/** Whether the rows of a populated target have to be merged. */
export const hasSeveralSources = ({ target, status }: Pick<RelationTarget, 'target' | 'status'>): boolean =>
  sourcesOf(target, status).length > 1;
