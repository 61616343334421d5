import { deleteRecord, type StoredRecord, storedRecord } from '../records/records.js';
import type { CollectionMeta } from '../storage/catalog.js';
import { recordOf, tableRange } from '../storage/layout.js';
import type { Writable } from '../storage/view.js';

/** `size` is a multiple of this many bytes. */
const STEP = 256;

/** The size of capped collections when they were last written to, by UUID. */
const heldBy = new WeakMap<Uint8Array, { count: number; bytes: number }>();

/** The size of a collection in bytes: only what was added since the last call is counted, unless something was removed. */
function bytesOf(view: Writable, { table, uuid }: CollectionMeta, count: number): number {
  const known = heldBy.get(uuid);
  const isKnown = known !== undefined && known.count <= count;
  let left = isKnown ? count - known.count : count;
  let bytes = isKnown ? known.bytes : 0;
  if (left === 0) return bytes;
  for (const { value } of view.entries({ ...tableRange(table), reverse: true })) {
    bytes += value.length;
    left -= 1;
    if (left === 0) break;
  }
  return bytes;
}

/** Removes the oldest documents of a capped collection beyond its `size` and its `max`. */
export function trimCapped(view: Writable, collection: CollectionMeta): void {
  const { capped, size, max } = collection.options;
  if (capped !== true) return;
  const mostBytes = Math.ceil(Number(size) / STEP) * STEP;
  const most = Number(max) > 0 ? Number(max) : Number.POSITIVE_INFINITY;
  let count = view.count(collection.table);
  let bytes = bytesOf(view, collection, count);
  const oldest: StoredRecord[] = [];
  for (const { key, value } of view.entries(tableRange(collection.table))) {
    if (count <= 1 || (bytes <= mostBytes && count <= most)) break;
    oldest.push(storedRecord({ record: recordOf(key), bytes: value }));
    count -= 1;
    bytes -= value.length;
  }
  for (const record of oldest) deleteRecord(view, collection, record);
  heldBy.set(collection.uuid, { count, bytes });
}
