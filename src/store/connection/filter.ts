import type { Document, Filter, ObjectId } from 'mongodb';

/**
 * A filter of any shape, also with an `_id` that is not an ObjectId, which the driver's types do not allow.
 */
export const anyFilter = (filter: Readonly<Record<string, unknown>>): Filter<Document> =>
  filter as Filter<Document>;

/** An `_id` of any type, for the driver's types. */
export const anyId = (id: unknown): ObjectId => id as ObjectId;
