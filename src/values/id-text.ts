import { EJSON } from 'bson';
import { isBson } from './bson.js';

/**
 * A text for an `_id`, which other programs choose freely: different ones have different texts, also objects, and a
 * string that looks like an ObjectId.
 */
export const idText = (id: unknown): string =>
  isBson(id, 'ObjectId') ? String(id) : EJSON.stringify(id ?? null, { relaxed: false });
