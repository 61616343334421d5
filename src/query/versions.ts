import { isLocalizations } from '../schema/relation.js';
import type { Attribute, ContentType, Status } from '../schema/types.js';
import type { Caller, RelationHop } from './read-plan.js';
import type { QuerySettings } from './settings.js';

/** Whether a caller may read drafts of the types that it may find. */
export const mayReadDrafts = (
  caller: Caller,
  { publicDrafts }: Pick<QuerySettings, 'publicDrafts'>,
): boolean => publicDrafts || caller.anonymous !== true;

/** Where a path through a relation starts, and for whom. */
export interface SeenFrom {
  /** The type of the entry that holds the relation, in a component or not. */
  readonly entry: Pick<ContentType, 'draftAndPublish'>;
  readonly drafts: boolean;
}

/**
 * Whether a relation leads to both versions of its target, whichever version the entry is: an entry without
 * Draft & Publish is linked with both, and other locales count in whichever version exists. Otherwise it
 * leads to the entry's own version, which is the published one for callers who may not read drafts.
 */
export const leadsToBoth = (
  attribute: Attribute,
  target: Pick<ContentType, 'draftAndPublish'>,
  { entry, drafts }: SeenFrom,
): boolean => drafts && target.draftAndPublish && (isLocalizations(attribute) || !entry.draftAndPublish);

/** The statuses of its targets that filters and sorts see through a relation of an entry of this status. */
export const statusesSeen = ({ toBoth }: RelationHop, status: Status): readonly Status[] =>
  toBoth ? ['draft', 'published'] : [status];
