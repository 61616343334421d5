import type { Status } from '../query/read-plan.js';
import type { ContentType } from '../schema/types.js';

/** The MongoDB collection that holds a content type's entries of one status (docs/architecture.md, "How content is stored"). */
export const collectionName = (type: ContentType, status: Status): string =>
  type.draftAndPublish && status === 'draft' ? `${type.collectionName}.drafts` : type.collectionName;
