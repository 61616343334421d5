/** By which stored fields documents are named and joined: Mangrove's own, and those of collections of other programs. */
import type { ContentType } from '../types.js';

/** Where the DBRefs lie whose `$id` a path is; null of any other path. */
export const dbRefPath = (stored: string): string | null =>
  stored.endsWith(DB_REF_KEY) ? stored.slice(0, -DB_REF_KEY.length) : null;

/** The path of what a DBRef refers to. */
export const dbRefKey = (path: string): string => `${path}${DB_REF_KEY}`;

const DB_REF_KEY = '.$id';

/** What tells the documents of a content type apart, as references store it. */
export const keyPath = (adopted: boolean): string => (adopted ? '_id' : 'documentId');

/** Where an entry of the type has its `documentId`. */
export const documentPath = ({ storage }: Pick<ContentType, 'storage'>): string => keyPath(storage !== null);

/** Where it has the `id` that ends every order. */
export const rowPath = ({ storage }: Pick<ContentType, 'storage'>): string => (storage ? '_id' : 'id');
