import type { Document, Filter, ObjectId } from 'mongodb';

/** A filter for whatever is stored, also as `_id`: the driver's types take no `_id` but an ObjectId. */
export const anyFilter = (filter: Readonly<Record<string, unknown>>): Filter<Document> =>
  filter as Filter<Document>;

/** An `_id` of any type, for the driver's types. */
export const anyId = (id: unknown): ObjectId => id as ObjectId;
