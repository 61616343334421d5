import { isLocalizations } from '../schema/relation.js';
import type { ContentType } from '../schema/types.js';
import type { RelationHop, Status, Version } from './read-plan.js';

/**
 * The versions that make up one status. The drafts of an adopted collection are the stored drafts and the
 * documents without one.
 */
export const versionsOf = (type: ContentType, status: Status): readonly Version[] =>
  type.storage?.drafts && status === 'draft' ? ['draft', 'undrafted'] : [status];

/** The status that a version belongs to. */
export const seenAs = (version: Version): Status => (version === 'undrafted' ? 'draft' : version);

/** Whether the status of this version is made up of two versions. */
export const hasTwoVersions = (type: ContentType, version: Version): boolean =>
  versionsOf(type, seenAs(version)).length > 1;

/**
 * The versions that filters and sorts use: those of the entry's own status. An entry without Draft & Publish
 * is linked with both (rules C.6), and other locales count in whichever version exists.
 */
export const versionsSeen = (hop: RelationHop, { type, status }: Seen): readonly Version[] =>
  hop.target.draftAndPublish && (isLocalizations(hop.attribute) || !type.draftAndPublish)
    ? ['draft', 'published']
    : versionsOf(hop.target, seenAs(status));

interface Seen {
  readonly type: { readonly draftAndPublish: boolean };
  readonly status: Version;
}
