/** The names of the collections with the entries of a content type (docs/architecture.md, "How content is stored"). */
import type { ContentType, Status } from '../types.js';

/** The collection with the entries that are stored in one version. */
export function collectionName(type: ContentType, version: Status): string {
  if (!type.draftAndPublish || version !== 'draft') return type.collectionName;
  return type.storage ? `mangrove.drafts.${type.uid.replace(/^api::/, '')}` : `${type.collectionName}.drafts`;
}

/** The collection with all versions of the entries, if the type keeps them. */
export const historyName = ({ collectionName: name }: Pick<ContentType, 'collectionName'>): string =>
  `${name}.history`;

/** The statuses that entries of a content type can have. */
export const statusesOf = ({ draftAndPublish }: Pick<ContentType, 'draftAndPublish'>): readonly Status[] =>
  draftAndPublish ? ['draft', 'published'] : ['published'];

/** The collections of a content type. */
export const collectionsOf = (type: ContentType): readonly string[] =>
  statusesOf(type).map((status) => collectionName(type, status));
