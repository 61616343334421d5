import type { Moment, Status, VersionChoice } from '../query/read-plan.js';
import type { ContentType } from '../schema/types.js';
import type { Match, Source } from './types.js';

/**
 * The collection with the entries of a content type that are stored in one version (docs/architecture.md, "How
 * content is stored").
 */
export function collectionName(type: ContentType, version: Status): string {
  if (!type.draftAndPublish || version !== 'draft') return type.collectionName;
  return type.storage ? `mangrove.drafts.${type.uid.replace(/^api::/, '')}` : `${type.collectionName}.drafts`;
}

/** The collection with all versions of the entries of a content type, if it keeps them. */
export const historyName = ({ collectionName: name }: Pick<ContentType, 'collectionName'>): string =>
  `${name}.history`;

/** The statuses that entries of a content type can have. */
export const statusesOf = ({ draftAndPublish }: Pick<ContentType, 'draftAndPublish'>): readonly Status[] =>
  draftAndPublish ? ['draft', 'published'] : ['published'];

/** The collections of a content type. */
export const collectionsOf = (type: ContentType): readonly string[] =>
  statusesOf(type).map((status) => collectionName(type, status));

/**
 * The entries of a type that are stored in one version; at a moment in the past, as they were then, if the type keeps
 * versions. What a caller sees in a status is `sourcesOf`.
 */
export const storedAs = (type: ContentType, status: Status, moment: Moment | null = null): Source => ({
  type,
  status,
  ...(moment?.uids.has(type.uid)
    ? { collection: historyName(type), match: matchAt(type, status, moment) }
    : { collection: collectionName(type, status), match: ALL }),
  moment,
  except: null,
  nulls: [],
  publication: null,
});

const ALL: Match = Object.freeze({});

/** Types without Draft & Publish have one version, whatever is asked for. */
const storedStatus = ({ draftAndPublish }: ContentType, status: Status): Status =>
  draftAndPublish ? status : 'published';

const matchAt = (type: ContentType, status: Status, { at }: Moment): Match => ({
  '_version.status': { $eq: storedStatus(type, status) },
  '_version.from': { $lte: at },
  '_version.until': { $gt: at },
});

/** Versions of the entries of a type, past and current. */
export const versionsAs = (type: ContentType, status: Status, { id }: VersionChoice): Source => ({
  ...storedAs(type, status),
  collection: historyName(type),
  match: {
    '_version.status': { $eq: storedStatus(type, status) },
    ...(id !== null && { '_version.id': { $eq: id } }),
  },
});
