import { isLocalizations } from '../schema/relation.js';
import type { ContentType } from '../schema/types.js';
import type { RelationHop, Status, Version } from './read-plan.js';

/** Where the rows of one status lie: drafts beside an adopted collection are those there, and the documents that have none. */
export const versionsOf = (type: ContentType, status: Status): readonly Version[] =>
  type.storage?.drafts && status === 'draft' ? ['draft', 'undrafted'] : [status];

/** As which status rows are seen. */
export const seenAs = (version: Version): Status => (version === 'undrafted' ? 'draft' : version);

/** Whether rows of this version are one part of those that a query sees. */
export const hasTwoVersions = (type: ContentType, version: Version): boolean =>
  versionsOf(type, seenAs(version)).length > 1;

/**
 * The versions that filters and sorts look at: those of the entry's own status. An entry without Draft & Publish is linked with
 * both (rules C.6), and other locales count in whatever version they exist.
 */
export const versionsSeen = (hop: RelationHop, { type, status }: Seen): readonly Version[] =>
  hop.target.draftAndPublish && (isLocalizations(hop.attribute) || !type.draftAndPublish)
    ? ['draft', 'published']
    : versionsOf(hop.target, seenAs(status));

interface Seen {
  readonly type: { readonly draftAndPublish: boolean };
  readonly status: Version;
}
