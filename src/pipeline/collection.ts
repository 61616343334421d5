import type { Status } from '../query/read-plan.js';
import type { ContentType } from '../schema/types.js';
import type { Source } from './types.js';

/**
 * The collection with the entries of a content type that are stored in one version (docs/architecture.md, "How
 * content is stored").
 */
export function collectionName(type: ContentType, version: Status): string {
  if (!type.draftAndPublish || version !== 'draft') return type.collectionName;
  return type.storage ? `mangrove.drafts.${type.uid.replace(/^api::/, '')}` : `${type.collectionName}.drafts`;
}

/** The statuses that entries of a content type can have. */
export const statusesOf = ({ draftAndPublish }: Pick<ContentType, 'draftAndPublish'>): readonly Status[] =>
  draftAndPublish ? ['draft', 'published'] : ['published'];

/** The collections of a content type. */
export const collectionsOf = (type: ContentType): readonly string[] =>
  statusesOf(type).map((status) => collectionName(type, status));

/** The entries of a type that are stored in one version. What a caller sees in a status is `sourcesOf`. */
export const storedAs = (type: ContentType, status: Status): Source => ({
  type,
  status,
  collection: collectionName(type, status),
  except: null,
  nulls: [],
  publication: null,
});
