import { compileCollection, entryKey } from '../indexes/compile-index.js';
import { compileByteFilter } from '../matching/byte-filter.js';
import type { CollectionMeta } from '../storage/catalog.js';
import { recordKey } from '../storage/layout.js';
import type { Reader } from '../storage/view.js';
import { encodeKey } from '../values/index.js';
import { bsonTag } from '../values/types.js';
import type { Query } from './plan.js';
import { type Found, recordFromValue, type ScanMeter } from './scan.js';

const NO_RECORD = Buffer.alloc(0);

/**
 * The document that a filter selects by `_id`, if the `_id` is an ObjectId and the document matches. There is only
 * one plan for it, so none are compared. Undefined for other filters. An ObjectId has the same key under every
 * collation.
 */
export function lookUpId(
  reader: Reader,
  collection: CollectionMeta,
  { filter, hint, collation, variables }: Query,
  meter: ScanMeter,
): Found[] | undefined {
  const id: unknown = filter['_id'];
  if (typeof id !== 'object' || id === null || bsonTag(id) !== 'ObjectId' || hint !== undefined)
    return undefined;
  const index = compileCollection(collection).indexes.find(({ name }) => name === '_id_');
  if (index === undefined) return undefined;
  const { test } = compileByteFilter(filter, { collation, variables });
  meter.tables.add(index.meta.table).add(collection.table);
  meter.keysExamined += 1;
  const entry = reader.get(entryKey(index, encodeKey([id], index.directions), NO_RECORD));
  if (entry === undefined) return [];
  const record = recordFromValue(entry);
  meter.docsExamined += 1;
  const bytes = reader.get(recordKey(collection.table, record));
  return bytes !== undefined && test(bytes) ? [{ record, bytes }] : [];
}
