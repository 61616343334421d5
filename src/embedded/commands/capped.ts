import { deleteRecord } from '../records/records.js';
import type { CollectionMeta } from '../storage/catalog.js';
import { recordOf, tableRange } from '../storage/layout.js';
import type { Writable } from '../storage/view.js';
import { decodeDocument } from '../values/index.js';

/** Removes the oldest documents of a capped collection beyond its `max`. */
export function trimCapped(view: Writable, collection: CollectionMeta): void {
  if (collection.options['capped'] !== true || collection.options['max'] === undefined) return;
  const extra = view.count(collection.table) - Number(collection.options['max']);
  if (extra <= 0) return;
  const oldest = [];
  for (const { key, value } of view.entries(tableRange(collection.table))) {
    oldest.push({ record: recordOf(key), bytes: value, document: decodeDocument(value) });
    if (oldest.length === extra) break;
  }
  for (const record of oldest) deleteRecord(view, collection, record);
}
