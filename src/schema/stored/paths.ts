/** The stored fields that identify and join documents, in Mangrove's own collections and in adopted ones. */
import type { ContentType } from '../types.js';

/** The path of the DBRefs, if the path leads to their `$id`; otherwise null. */
export const dbRefPath = (stored: string): string | null =>
  stored.endsWith(DB_REF_KEY) ? stored.slice(0, -DB_REF_KEY.length) : null;

/** The path of the `$id` of a DBRef. */
export const dbRefKey = (path: string): string => `${path}${DB_REF_KEY}`;

const DB_REF_KEY = '.$id';

/** The field that identifies the documents of a content type, as stored in references. */
export const keyPath = (adopted: boolean): string => (adopted ? '_id' : 'documentId');

/** The path of the `documentId` in an entry of the type. */
export const documentPath = ({ storage }: Pick<ContentType, 'storage'>): string => keyPath(storage !== null);

/** The path of the `id`, which is the last key of every sort. */
export const rowPath = ({ storage }: Pick<ContentType, 'storage'>): string => (storage ? '_id' : 'id');
