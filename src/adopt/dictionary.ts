import type { Values } from './statistics.js';

/** Names that are values: ids, numbers, dates, addresses. */
const LIKE_KEY =
  /^(\d+|[0-9a-f]{24}|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|\d{4}-\d\d(-\d\d)?|.*[@/:].*)$/i;

export const isLikeKey = (name: string): boolean => LIKE_KEY.test(name);

/** With more fields than this a document is one with names only if most documents have most of them. */
const FEW = 20;

/** Whether the names of an object's fields are data: there are many, each in few documents, or they look like values. */
export function isDictionary({ fields, manyFields, likeKeys, kinds }: Values): boolean {
  if (!fields || fields.size === 0) return false;
  if (manyFields || likeKeys > fields.size / 2) return true;
  if (fields.size <= FEW) return false;
  const documents = kinds.get('object') ?? 0;
  const present = [...fields.values()].reduce((sum, { count }) => sum + count, 0);
  return present / fields.size < documents / 5;
}
